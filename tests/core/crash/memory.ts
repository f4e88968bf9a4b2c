// What clients requested and what they were told: this must stay true, whatever happens to the engine.

import { STATUSES } from "../../../build/core/enum-words.js";
import type * as recorded from "../../../build/core/record-types.js";
import type { Engine, Request } from "./engine.js";

/** A container's record, with the setting that the checks need. */
export interface ContainerRecord extends recorded.ContainerRecord {
  hostConfig: { Memory: number };
}

export class Memory {
  /** Ids of containers that were answered with 201. */
  created = new Set<string>();
  /** Containers that a client asked to remove, or with auto-remove. */
  mayGo = new Set<string>();
  removed = new Set<string>();
  started = new Set<string>();
  /** The last run that a client was told had ended, by id; and its exit code, if the client was told. */
  ended = new Map<string, number>();
  codes = new Map<string, { run: number; code: number }>();
  /** References and ids of existing images. */
  images = new Set<string>();
  /** The container that had the name when the request was sent. */
  readonly #about = new Map<Request, ContainerRecord | undefined>();

  copy(): Memory {
    const { created, mayGo, removed, started, ended, codes, images } = structuredClone({ ...this });
    return Object.assign(new Memory(), { created, mayGo, removed, started, ended, codes, images });
  }

  /** Called before the request is sent. `name`: of the container it is about. */
  asks(engine: Engine, method: string, target: string, name: string): ContainerRecord | undefined {
    const found = containersOf(engine.records).find((container) => container.name === name);
    if (method === "DELETE" && found !== undefined) this.mayGo.add(found.id);
    if (target === "/containers/prune") for (const { id } of containersOf(engine.records)) this.mayGo.add(id);
    if (method === "DELETE" && target.startsWith("/images/")) this.images.clear();
    if (target.startsWith("/images/prune")) this.images.clear();
    return found;
  }

  sent(request: Request, about: ContainerRecord | undefined): void {
    this.#about.set(request, about);
  }

  hears(engine: Engine, request: Request): void {
    const [, noun = "", name = "", verb = ""] = (request.target.split("?")[0] as string).split("/");
    const about = this.#about.get(request);
    if (noun === "containers" && name === "create") this.#created(engine, request);
    else if (noun === "containers" && about !== undefined) this.#container(engine, request, about, verb);
    if (!request.over) return;
    if (noun === "commit" && request.status === 201) this.images.add((JSON.parse(request.text) as { Id: string }).Id);
    if (noun === "images" && /Status: |Loaded image: /.test(request.text)) {
      this.images.add(`${/(?:for|image:) (\w+):1/.exec(request.text)?.[1] as string}:1`);
    }
  }

  #created(engine: Engine, request: Request): void {
    if (request.status !== 201) return;
    const { Id } = JSON.parse(request.text) as { Id: string };
    this.created.add(Id);
    if (containersOf(engine.records).find(({ id }) => id === Id)?.autoRemove === true) this.mayGo.add(Id);
  }

  #container(engine: Engine, request: Request, { id, run }: ContainerRecord, verb: string): void {
    if (request.status === 204) {
      if (request.method === "DELETE") this.removed.add(id);
      else if (verb === "start" || verb === "restart") this.started.add(id);
      else if (verb === "stop" || request.target.endsWith("signal=KILL")) this.ended.set(id, run);
    }
    const now = containersOf(engine.records).find((container) => container.id === id);
    // The step that told it may have begun the next run.
    if (verb === "wait" && request.text !== "" && now !== undefined && wordOf(now) !== "starting") {
      this.codes.set(id, { run: now.run, code: (JSON.parse(request.text) as { StatusCode: number }).StatusCode });
    }
  }
}

/** The word of the container's status, including transitional ones. */
export function wordOf(container: ContainerRecord): string {
  return STATUSES[container.status] ?? "?";
}

export function containersOf(records: ReadonlyMap<string, Uint8Array>): ContainerRecord[] {
  const kept = [...records].filter(([key]) => key.startsWith("container/"));
  return kept.map(([, value]) => readContainer(value));
}

/** Kept bytes are never written to, so each is parsed once. */
const read = new WeakMap<Uint8Array, ContainerRecord>();

export function readContainer(value: Uint8Array): ContainerRecord {
  const known = read.get(value) ?? (JSON.parse(new TextDecoder().decode(value)) as ContainerRecord);
  read.set(value, known);
  return known;
}
