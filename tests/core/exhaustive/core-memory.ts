// An instance of the core whose memory can be read (core/bindgen/classes.ts describes its layout), and its whole
// knowledge as text: two instances with the same text, except for names, continue in the same way.

import type { ClassLayout } from "../../../core/bindgen/classes.js";
import { CompiledComponent, type Instantiate, type WasmSource } from "../../../hosts/driver/component.js";
import { Instance } from "../../../hosts/driver/instance.js";
import { CLASSES } from "../../../build/core/classes.js";
import { type Core, type ImportObject, instantiate } from "../../../build/core/core.js";
import { MODULES } from "../../../build/core/modules.js";
import { Layouts, Reading, entryLayout } from "./object-text.js";

const ENGINE = "core/assembly/state/Engine";
const STEPS = "core/assembly/task/Steps";
const STORE = "core/assembly/container/store/ContainerStore";
/**
 * The core's knowledge except images and events: there is one object of each. These stories do not touch images, and
 * events are history.
 */
export const ROOTS = [
  ENGINE,
  STORE,
  "core/assembly/container/usage/sizes/Sizes",
  "core/assembly/exec/store/ExecStore",
  "core/assembly/health/monitor/Monitors",
  "core/assembly/network/ports/taken-ports/TakenPorts",
  "core/assembly/network/store/NetworkStore",
  "core/assembly/open-calls/OpenCalls",
  "core/assembly/records/set-aside/SetAside",
  "core/assembly/volume/store/VolumeStore",
];

/** Left out of the core's knowledge: images and builds, which these stories do not touch; events; and data of a single step. */
export const OMITTED = [
  "core/assembly/build/buildkit/connections/Connections",
  "core/assembly/build/buildkit/history/history/BuildHistory",
  "core/assembly/build/buildkit/session/sessions/Sessions",
  "core/assembly/build/buildkit/solves/Solves",
  "core/assembly/build/buildkit/traced/traced-builds/TracedBuilds",
  "core/assembly/build/buildkit/traced/uploads/Uploads",
  "core/assembly/build/caches/cache-store/CacheStore",
  "core/assembly/build/caches/collection/CacheCollector",
  "core/assembly/build/caches/due/Due",
  "core/assembly/build/caches/noted-uses/NotedUses",
  "core/assembly/build/run/known-choices/KnownChoices",
  "core/assembly/build/run/stage/steps-underway/StepsUnderway",
  "core/assembly/event/ring/EventRing",
  "core/assembly/image/layers/layer-store/LayerStore",
  "core/assembly/image/layers/layer-fetches/LayerFetches",
  "core/assembly/image/layers/layer-rests/LayerRests",
  "core/assembly/image/push/upload-slots/UploadSlots",
  "core/assembly/image/store/ImageStore",
  "core/assembly/origin/Acting",
  "core/assembly/removal/Leaving",
];

/** Fields without an effect on what comes next, or with an effect only on times and ids, by class. */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  // Steps are written by their operations.
  [ENGINE]: ["options", "now", "id", "ids", "steps"],
  [STORE]: ["byId", "sequence"],
  // Creation settings; data for the list; timestamps, and origins.
  "core/assembly/container/container/Container": [
    ...["config", "hostConfig", "listed"],
    ...["sequence", "created", "startedAt", "finishedAt", "begunAt", "lastChange", "ender"],
  ],
  "core/assembly/network/endpoint/endpoint/Endpoint": ["settings"],
  "core/assembly/call/Call": ["origin"],
  "core/assembly/task/Pending": ["origin"],
  "core/assembly/origin/Acting": ["origin"],
  "build/bindings/types/Request": ["peer", "carrier", "headers", "body", "listener"],
};

const BY_ID = entryLayout(4, 4);
const BY_OPERATION = entryLayout(8, 4);

/** A core as it was built. */
export interface Build {
  modules: Map<string, WasmSource>;
  /** Built together: each build may order its imports differently. */
  instantiate: Instantiate<ImportObject, Core>;
  classes: readonly ClassLayout[];
}

const BUILT: Build = {
  modules: new Map(
    Object.entries(MODULES).map(([name, base64]) => [name, new Uint8Array(Buffer.from(base64, "base64"))]),
  ),
  instantiate,
  classes: CLASSES,
};

export class CoreMemory {
  readonly instance: Instance;
  readonly #memory: WebAssembly.Memory;
  readonly #layouts: Layouts;
  readonly #roots: ReadonlyMap<string, number>;

  constructor({ modules, instantiate, classes }: Build = BUILT) {
    let memory: WebAssembly.Memory | undefined;
    const watching: Instantiate<ImportObject, Core> = (modules, imports, make = newInstance) =>
      instantiate(modules, imports, (module, coreImports) => {
        const made = make(module, coreImports);
        if ("trapped" in made.exports) memory = made.exports["memory"] as WebAssembly.Memory;
        return made;
      });
    this.instance = new Instance(new CompiledComponent(modules, watching));
    if (memory === undefined) throw new Error("the core has no memory");
    this.#memory = memory;
    this.#layouts = new Layouts(classes, LEFT_OUT);
    const snapshot = this.instance.snapshot();
    this.#roots = new Map(ROOTS.map((name) => [name, findOnly(snapshot, this.#layouts, name)]));
  }

  /** The current state: valid until its next step. */
  look(): CoreLook {
    return new CoreLook(new Reading(this.#memory.buffer, this.#layouts), this.#roots);
  }
}

/** Reads each object once, in the order of use: operations as `@N`, requests as `%N`. */
export class CoreLook {
  readonly #reading: Reading;
  readonly #roots: ReadonlyMap<string, number>;

  /** `roots`: the address of the only object of each class in `ROOTS`. */
  constructor(reading: Reading, roots: ReadonlyMap<string, number>) {
    this.#reading = reading;
    this.#roots = roots;
  }

  /** Id → address, in the order of creation. */
  containers(): Map<string, number> {
    const entries = this.#reading.entries(this.#field(this.#root(STORE), STORE, "byId"), BY_ID);
    return new Map(Array.from(entries, ([key, value]) => [this.#reading.string(this.#at(key)), this.#at(value)]));
  }

  /** Operation → address of the step that waits for it. */
  steps(): Map<bigint, number> {
    const steps = this.#field(this.#root(ENGINE), ENGINE, "steps");
    const entries = this.#reading.entries(this.#field(steps, STEPS, "pending"), BY_OPERATION);
    return new Map(
      Array.from(entries, ([key, value]) => [this.#reading.view.getBigUint64(key, true), this.#at(value)]),
    );
  }

  object(address: number): string {
    return this.#reading.textOf(address);
  }

  /** Everything except containers and steps. */
  rest(): string {
    return ROOTS.map((name) => this.#reading.textOf(this.#root(name))).join(" ");
  }

  /** Entries whose order has no meaning. */
  get loose(): readonly string[] {
    return this.#reading.loose;
  }

  #root(name: string): number {
    return this.#roots.get(name)!;
  }

  #field(object: number, name: string, field: string): number {
    return this.#at(object + this.#reading.layouts.offsetOf(name, field));
  }

  #at(address: number): number {
    return this.#reading.uint32(address);
  }
}

function newInstance(module: WebAssembly.Module, imports: WebAssembly.Imports): WebAssembly.Instance {
  return new WebAssembly.Instance(module, imports);
}

/** Objects begin at multiples of sixteen; class and size are right before them (rt/common). */
const ALIGNMENT = 16;
const CLASS_BEFORE = 8;
const SIZE_BEFORE = 4;

/** Address of the only object of a class. */
function findOnly(snapshot: Uint8Array, layouts: Layouts, name: string): number {
  const { id, size, fields } = layouts.of(name);
  const view = new DataView(snapshot.buffer, snapshot.byteOffset, snapshot.byteLength);
  const classAt = (at: number) =>
    at >= CLASS_BEFORE && at <= snapshot.length ? view.getUint32(at - CLASS_BEFORE, true) : 0;
  // Two numbers in a list may look like an object; its pointers show the difference.
  const tables = fields.filter(({ type }) => type.startsWith("~lib/map/"));
  const hasTables = (at: number) =>
    tables.every(({ offset, type }) => classAt(view.getUint32(at + offset, true)) === layouts.of(type).id);
  const found: number[] = [];
  for (let at = ALIGNMENT; at < snapshot.length; at += ALIGNMENT) {
    const isOne = view.getUint32(at - CLASS_BEFORE, true) === id && view.getUint32(at - SIZE_BEFORE, true) === size;
    if (isOne && hasTables(at)) found.push(at);
  }
  const [only, ...others] = found;
  if (only === undefined || others.length > 0) throw new Error(`${found.length} objects of ${name} in place of one`);
  return only;
}
