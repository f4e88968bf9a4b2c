// A core and a world in which the test controls registries, archives and layers.

import { createHash } from "node:crypto";
import type {
  Input,
  Outcome,
  content,
  engine,
  processes,
  types,
  failures,
  volumes,
} from "../../../hosts/shared/host.js";
import { Instance } from "../../../hosts/driver/instance.js";
import { packageCore } from "../../../hosts/embedding/core.js";
import type { StepOutputs } from "../../../hosts/shared/outputs.js";
import { MemoryJournal } from "../../../hosts/shared/journal.js";
import { keep } from "../../support/records/kept-records.js";
import { BUSYBOX_CHAIN, BUSYBOX_RECORDS, OPTIONS } from "./fixtures.js";
import { NOTHING_FOUND } from "../../support/nothing-found.js";

const core = packageCore();
const HOUR = 3_600_000_000_000n;
const START = 1_767_225_600_000_000_000n; // 2026-01-01T00:00:00Z

export type Json = Record<string, unknown>;

/** A command of the core that is not answered yet. */
export interface Asked<Value> {
  op: bigint;
  val: Value;
}

type ContentTag = content.ContentCommand["tag"];
type ContentValue<Tag extends ContentTag> =
  Extract<content.ContentCommand, { tag: Tag }> extends { val: infer Value } ? Value : undefined;
type ProcessTag = processes.ProcessCommand["tag"];

/** What a client has received so far. */
export interface Answer {
  status: number;
  headers: string;
  text: string;
  over: boolean;
  /** Bytes sent but not reported as read. */
  unread: number;
  /** Containers whose logs are part of it. */
  logs: SentLog[];
}

/** A log that is sent from `at` on: so much of the answer's text comes before. */
export interface SentLog {
  container: string;
  vertex: string;
  at: number;
  /** How much of the text had come when it was drained; missing if that has not happened, or if nothing comes beside it. */
  until?: number;
}

export interface WorldOptions {
  records?: Iterable<[string, Uint8Array]>;
  chains?: string[];
  /** Chains of which the host finds a beginning, and its age in hours. */
  rests?: Record<string, number>;
  /** Names of the volumes that the host finds. */
  volumes?: string[];
  /** Containers whose first run the host finds running. */
  running?: string[];
  /** Containers of which the host finds no more than their files. */
  left?: string[];
  insecureRegistries?: string[];
  registryMirrors?: string[];
  registryHosts?: engine.RegistryHosts[];
  /** Settings of the builder, as in daemon.json. */
  builder?: object;
  /** Bytes of the machine's disk. */
  disk?: bigint;
  limits?: Partial<Pick<engine.Options, "documentLimit" | "layerLimit">>;
  /** Whether clients read what they are sent. */
  reading?: boolean;
}

export class ImageWorld {
  readonly records: Map<string, Uint8Array>;
  /** Steps that have changed records: what follows them waits for the disk. */
  transactions = 0;
  readonly #instance = new Instance(core);
  readonly #answers = new Map<bigint, Answer>();
  readonly #reading: boolean;
  #content: { op: bigint; command: content.ContentCommand }[] = [];
  #processes: { op: bigint; command: processes.ProcessCommand }[] = [];
  #volumes: { op: bigint; command: volumes.VolumeCommand }[] = [];
  /** Operations and times of the pending timers, in nanoseconds. */
  readonly #timers = new Map<bigint, bigint>();
  readonly #journal = new MemoryJournal();
  #elapsed = 0n;
  #requests = 0n;
  #door: bigint | null = null;

  constructor({ records = BUSYBOX_RECORDS, chains = [BUSYBOX_CHAIN], ...rest }: WorldOptions = {}) {
    this.records = new Map(records);
    this.#reading = rest.reading ?? true;
    const stored = [...this.records].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, value]) => ({ key, value }));
    const containers = rest.running ?? [];
    const processes = containers.map((container): engine.FoundProcess => {
      return { container, run: 1, state: { tag: "running", val: { pid: 7, at: START } }, memoryKills: 0 };
    });
    const rests = Object.entries(rest.rests ?? {}).map(([chain, hours]) => ({
      chain,
      at: START - BigInt(hours) * HOUR,
    }));
    const inventory = {
      ...NOTHING_FOUND,
      processes,
      mounts: containers,
      containers: [...containers, ...(rest.left ?? [])],
      chains,
      rests,
      volumes: rest.volumes ?? [],
    };
    const options = {
      ...OPTIONS,
      ...{ insecureRegistries: rest.insecureRegistries ?? [], registryMirrors: rest.registryMirrors ?? [] },
      registryHosts: rest.registryHosts ?? [],
      builder: rest.builder === undefined ? "" : JSON.stringify(rest.builder),
      machine: { ...OPTIONS.machine, storage: { ...OPTIONS.machine.storage, size: rest.disk ?? 0n } },
      ...rest.limits,
    };
    this.#take(
      this.#instance.open(options, this.#now(), new Uint8Array(32).fill(7), stored, this.#journal.endsAt, inventory),
    );
  }

  /** Lets monotonic and wall time pass. */
  sleep(milliseconds: number): void {
    this.#elapsed += BigInt(milliseconds) * 1_000_000n;
  }

  /** The same, one second at a time, and due timers fire. */
  wait(seconds: number): void {
    for (let passed = 0; passed < seconds; passed++) {
      this.sleep(1000);
      const due = [...this.#timers].filter(([, at]) => at <= this.#now().monotonic);
      for (const [op] of due) {
        this.#timers.delete(op);
        this.#step({ tag: "elapsed", val: op });
      }
    }
  }

  get timers(): number {
    return this.#timers.size;
  }

  /** A call on a client's connection for calls: by default always the same one. */
  makeCall(method: string, message: object, headers: Record<string, string> = {}, carrier = this.#openDoor()): bigint {
    return this.ask("POST", `/grpc/${method}`, message, headers, { carrier });
  }

  /** A connection for calls. */
  openDoor(): bigint {
    return this.ask("POST", "/grpc", undefined, { Connection: "Upgrade", Upgrade: "h2c" });
  }

  #openDoor(): bigint {
    this.#door ??= this.openDoor();
    return this.#door;
  }

  /** Sends a request; the answer is read by its id. */
  ask(
    method: string,
    target: string,
    body?: unknown,
    headers: Record<string, string> = {},
    from: Pick<engine.Request, "carrier"> = {},
  ): bigint {
    const id = ++this.#requests;
    this.#answers.set(id, { status: 0, headers: "", text: "", over: false, unread: 0, logs: [] });
    const bytes = body === undefined || body instanceof Uint8Array ? body : encode(JSON.stringify(body));
    const typed = body === undefined || body instanceof Uint8Array ? {} : { "Content-Type": "application/json" };
    const lines = Object.entries({ ...typed, ...headers }).map(([name, value]) => `${name}: ${value}`);
    const request: engine.Request = {
      id,
      listener: "unix:///test.sock",
      ...from,
      method,
      target,
      headers: lines.join("\n"),
      body: bytes === undefined ? { tag: "none" } : { tag: "whole", val: bytes },
    };
    this.#step({ tag: "request", val: request });
    return id;
  }

  answer(id: bigint): Answer {
    return this.#answers.get(id) as Answer;
  }

  /** A request that is answered at once. */
  call(method: string, target: string, body?: unknown): { status: number; json: unknown } {
    const { status, text, over } = this.answer(this.ask(method, target, body));
    if (!over) throw new Error(`${method} ${target} is not answered`);
    return { status, json: text === "" ? null : JSON.parse(text) };
  }

  /** Documents of a progress stream. */
  lines(id: bigint): Json[] {
    const { text } = this.answer(id);
    if (text !== "" && !text.endsWith("\r\n")) throw new Error(`a line does not end: ${text}`);
    return text
      .split("\r\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Json);
  }

  /** The same, each as `status id`. */
  said(id: bigint): string[] {
    return this.lines(id).map((line) =>
      [line["status"] ?? line["stream"] ?? line["error"], line["id"]].join(" ").trim(),
    );
  }

  hangUp(id: bigint): void {
    this.#step({ tag: "closed", val: { request: id, why: "client" } });
  }

  /** A client reads what it has been sent, or at most so many bytes of it. */
  read(id: bigint, most = Infinity): void {
    const answer = this.answer(id);
    const bytes = Math.min(answer.unread, most);
    answer.unread -= bytes;
    this.#step({ tag: "drained", val: { request: id, bytes } });
  }

  /** So many bytes have gone out that are no chunks: logs. */
  drained(request: bigint, bytes: number): void {
    this.#step({ tag: "drained", val: { request, bytes } });
  }

  /** The oldest unanswered content command of a kind; it counts as answered from now on. */
  take<Tag extends ContentTag>(tag: Tag): Asked<ContentValue<Tag>> {
    const at = this.#content.findIndex(({ command }) => command.tag === tag);
    const [found] = at < 0 ? [] : this.#content.splice(at, 1);
    if (!found) throw new Error(`no ${tag} has been asked for, but ${this.open().join(", ") || "nothing"}`);
    const val = "val" in found.command ? found.command.val : undefined;
    return { op: found.op, val: val as ContentValue<Tag> };
  }

  takeProcess(tag: ProcessTag): bigint {
    const at = this.#processes.findIndex(({ command }) => command.tag === tag);
    const [found] = at < 0 ? [] : this.#processes.splice(at, 1);
    if (!found) throw new Error(`no ${tag} has been asked for`);
    return found.op;
  }

  /** The oldest unanswered launch. */
  takeLaunch(): Asked<processes.Launch> {
    const asked = this.#processes.find(({ command }) => command.tag === "launch");
    if (asked?.command.tag !== "launch") throw new Error("no launch has been asked for");
    this.#processes.splice(this.#processes.indexOf(asked), 1);
    return { op: asked.op, val: asked.command.val };
  }

  /** The oldest unanswered volume command of a kind. */
  takeVolume(tag: volumes.VolumeCommand["tag"]): bigint {
    const asked = this.#volumes.find(({ command }) => command.tag === tag);
    if (asked === undefined) throw new Error(`no ${tag} has been asked for`);
    this.#volumes.splice(this.#volumes.indexOf(asked), 1);
    return asked.op;
  }

  /** Kinds of the unanswered content commands. */
  open(): string[] {
    return this.#content.map(({ command }) => command.tag);
  }

  /** Takes all drops of layers, and returns their chains. */
  dropped(): string[] {
    const chains: string[] = [];
    while (this.open().includes("drop-chain")) {
      const { op, val } = this.take("drop-chain");
      chains.push(val);
      this.done(op);
    }
    return chains;
  }

  succeed(op: bigint, outcome: Outcome): void {
    this.#step({ tag: "completed", val: { op, outcome: { tag: "ok", val: outcome } } });
  }

  done(op: bigint): void {
    this.succeed(op, { tag: "done" });
  }

  failAs(op: bigint, failure: failures.Failure): void {
    this.#step({ tag: "completed", val: { op, outcome: { tag: "err", val: failure } } });
  }

  progress(op: bigint, phase: engine.Phase, current: number, total: number): void {
    this.#step({ tag: "progress", val: { op, phase, current: BigInt(current), total: BigInt(total) } });
  }

  exited(container: string, run: number, code = 0): void {
    const exit = { code, outOfMemory: false, lost: false, at: this.#now().wall };
    this.#step({ tag: "exited", val: { container, run, exit } });
  }

  now(): bigint {
    return this.#now().wall;
  }

  #step(input: Input): void {
    this.#take(this.#instance.step(this.#now(), input));
  }

  #take(outputs: StepOutputs): void {
    if (outputs.records.length > 0) this.transactions++;
    for (const change of outputs.records) keep(change, this.records, this.#journal);
    for (const effect of outputs.effects) {
      if (effect.to === "content") this.#content.push({ op: effect.op, command: effect.command });
      if (effect.to === "timers" && effect.command.tag === "cancel") this.#timers.delete(effect.op);
      if (effect.to === "timers" && effect.command.tag === "set") this.#timers.set(effect.op, effect.command.val);
      if (effect.to === "volumes") this.#volumes.push({ op: effect.op, command: effect.command });
      if (effect.to === "processes") this.#processes.push({ op: effect.op, command: effect.command });
    }
    const read = new Set<bigint>();
    for (const { request, command } of outputs.replies) {
      const answer = this.answer(request);
      if (answer.over) throw new Error(`request ${request} has been answered already`);
      if (command.tag === "whole" || command.tag === "open") {
        const head = command.tag === "whole" ? command.val.head : command.val;
        Object.assign(answer, { status: head.status, headers: head.headers });
      }
      if (command.tag === "calls") answer.status = command.val.head.status;
      if (command.tag === "whole") answer.text = decode(command.val.body);
      if (command.tag === "chunk") {
        answer.text += decode(command.val);
        answer.unread += command.val.length;
        read.add(request);
      }
      if (command.tag === "insert" || command.tag === "beside") {
        const { container, objects } = command.val;
        answer.logs.push({ container, vertex: objects?.vertex ?? "", at: answer.text.length });
      }
      if (command.tag === "drain") endLog(answer, command.val);
      if (command.tag === "whole" || command.tag === "end") answer.over = true;
    }
    if (this.#reading) for (const request of read) if (!this.answer(request).over) this.read(request);
  }

  #now(): types.Instant {
    return { wall: START + this.#elapsed, monotonic: 1_000_000_000n + this.#elapsed };
  }
}

function endLog({ logs, text }: Answer, container: string): void {
  const log = logs.find((one) => one.container === container && one.until === undefined);
  if (log === undefined) throw new Error(`no log of ${container} is sent`);
  log.until = text.length;
}

/** An image as in a registry or an archive. */
export interface MadeImage {
  id: string;
  config: Uint8Array;
  diffIds: string[];
  chains: string[];
  /** Digests and sizes of the compressed layers. */
  blobs: { digest: string; size: number }[];
  manifest: Uint8Array;
  digest: string;
}

export interface Wish {
  architecture?: string;
  config?: Json;
  created?: string;
  /** The image below its own layers. */
  on?: MadeImage;
}

/** Layers are named: the same names give the same layers. */
export function makeImage(
  layers: string[],
  { architecture = "amd64", config = {}, created, on }: Wish = {},
): MadeImage {
  const diffIds = [...(on?.diffIds ?? []), ...layers.map((name) => digestOf(encode(`tar of ${name}`)))];
  const own = layers.map((name, index) => ({ digest: digestOf(encode(`blob of ${name}`)), size: 1000 + index }));
  const blobs = [...(on?.blobs ?? []), ...own];
  const document = {
    created: created ?? "2026-01-01T00:00:00Z",
    architecture,
    os: "linux",
    config,
    rootfs: { type: "layers", diff_ids: diffIds },
    history: [{ created: "2026-01-01T00:00:00Z", created_by: "make" }],
  };
  const bytes = encode(JSON.stringify(document));
  const manifest = encode(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: "application/vnd.docker.distribution.manifest.v2+json",
      config: {
        mediaType: "application/vnd.docker.container.image.v1+json",
        digest: digestOf(bytes),
        size: bytes.length,
      },
      layers: blobs.map((blob) => ({ mediaType: "application/vnd.docker.image.rootfs.diff.tar.gzip", ...blob })),
    }),
  );
  return {
    id: digestOf(bytes),
    config: bytes,
    diffIds,
    chains: chainsOf(diffIds),
    blobs,
    manifest,
    digest: digestOf(manifest),
  };
}

/** An index of images, by platform. */
export function makeIndex(entries: [platform: Json | null, image: MadeImage][]): Uint8Array {
  const manifests = entries.map(([platform, { digest, manifest }]) => ({
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    digest,
    size: manifest.length,
    ...(platform === null ? {} : { platform }),
  }));
  return encode(JSON.stringify({ schemaVersion: 2, mediaType: INDEX, manifests }));
}

export const INDEX = "application/vnd.oci.image.index.v1+json";

export function resolved(bytes: Uint8Array, mediaType = ""): Outcome {
  return { tag: "resolved", val: { bytes, mediaType, digest: digestOf(bytes) } };
}

export function shortId({ digest }: { digest: string }): string {
  return digest.slice(7, 19);
}

export function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

export function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function chainsOf(diffIds: string[]): string[] {
  const chains: string[] = [];
  for (const diffId of diffIds) {
    const below = chains.at(-1);
    chains.push(below === undefined ? diffId : digestOf(encode(`${below} ${diffId}`)));
  }
  return chains;
}
