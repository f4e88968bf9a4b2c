// Checks that the engine keeps what its replies promised, whatever happens to it afterwards.

import { Breach } from "../breach.js";
import { type ContainerRecord, type Ledger, RUNNING, isVolume, wordOf } from "../ledger.js";
import type { Answer, Asked, Oracle } from "../oracle.js";
import type { AtRest, Invariant, Seen } from "./invariant.js";
import { SET_ASIDE } from "./spared.js";
import { NOTHING_FOUND } from "../../support/nothing-found.js";

const VOLUME = "volume/";
const NETWORK = "network/";

export class Promises implements Oracle, Invariant {
  readonly #ledger: Ledger;
  /** Ids of containers whose creation was answered with 201. */
  readonly #created = new Set<string>();
  /** Containers that a client asked to remove, or that are removed automatically. */
  readonly #mayGo = new Set<string>();
  readonly #removed = new Set<string>();
  /** Names of volumes that a reply with 201 implied. */
  readonly #volumes = new Set<string>();
  /** Volumes that a client asked to remove, or that may be removed with their container. */
  readonly #mayGoAlong = new Set<string>();
  /** Ids of networks whose creation was answered with 201. */
  readonly #networks = new Set<string>();
  /** Networks that a client asked to remove. */
  readonly #leaving = new Set<string>();
  readonly #started = new Set<string>();
  /** The last run that a reply reported as ended. */
  readonly #ended = new Map<string, number>();
  readonly #codes = new Map<string, { run: number; code: number }>();
  /** The containers of requests, in their state when the requests were sent. */
  readonly #about = new Map<number, ContainerRecord>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  asked({ number, method, target }: Asked): void {
    const [path = ""] = target.split("?");
    if (path.endsWith("/containers/prune")) for (const id of this.#ledger.containers.keys()) this.#mayGo.add(id);
    if (path.endsWith("/volumes/prune")) for (const name of this.#ledger.keys(VOLUME)) this.#mayGoAlong.add(name);
    const volume = /\/volumes\/([^/]+)$/.exec(path)?.[1];
    if (method === "DELETE" && volume !== undefined) this.#mayGoAlong.add(decoded(volume));
    const network = /\/networks\/([^/]+)$/.exec(path)?.[1];
    if (path.endsWith("/networks/prune")) for (const id of this.#ledger.keys(NETWORK)) this.#leaving.add(id);
    if (method === "DELETE" && network !== undefined) this.#mayLeave(decoded(network));
    const ref = /\/containers\/([^/]+)/.exec(path)?.[1];
    const about = ref === undefined ? undefined : this.#find(decoded(ref));
    if (about === undefined) return;
    if (method === "DELETE") this.#mayGo.add(about.id);
    if (method === "DELETE" && /[?&]v=/.test(target)) this.#mayTakeAlong(about);
    this.#about.set(number, { ...about });
  }

  answered(asked: Asked, { status, body }: Answer): null {
    if (status === 201 && /\/containers\/create/.test(asked.target)) this.#wasCreated(body ?? "");
    if (status === 201 && /\/volumes\/create/.test(asked.target)) this.#volumes.add(named(body ?? ""));
    if (status === 201 && /\/networks\/create/.test(asked.target)) {
      this.#networks.add((JSON.parse(body ?? "") as { Id: string }).Id);
    }
    const about = this.#about.get(asked.number);
    if (about === undefined || status !== 204) return null;
    const [, verb = ""] = /\/containers\/[^/]+\/([^/?]+)/.exec(asked.target) ?? [];
    if (asked.method === "DELETE") this.#removed.add(about.id);
    else if (verb === "start" || verb === "restart") this.#started.add(about.id);
    if (verb === "stop" && asked.method === "POST") this.#ended.set(about.id, about.run);
    return null;
  }

  told(asked: Asked, piece: string): null {
    const about = this.#about.get(asked.number);
    if (about === undefined || !/\/wait\b/.test(asked.target)) return null;
    const now = this.#ledger.containers.get(about.id);
    // The step of the reply may have started the next run.
    if (now === undefined || !["exited", "releasing"].includes(wordOf(now))) return null;
    const { StatusCode } = JSON.parse(piece) as { StatusCode: number };
    this.#codes.set(about.id, { run: now.run, code: StatusCode });
    return null;
  }

  ended({ number }: Asked): null {
    this.#about.delete(number);
    return null;
  }

  left({ number }: Asked): void {
    this.#about.delete(number);
  }

  happened(): null {
    return null;
  }

  crashed(): void {
    this.#about.clear();
  }

  /** The containers that exist now must stay until a client asks for a removal. */
  forsaken(): void {
    const told = [this.#created, this.#mayGo, this.#removed, this.#volumes, this.#mayGoAlong, this.#started];
    for (const one of [...told, this.#networks, this.#leaving, this.#ended, this.#codes, this.#about]) one.clear();
    for (const container of this.#ledger.containers.values()) {
      // Those of builds go with them.
      if (container.forBuild === true) this.#mayGo.add(container.id);
      if (container.creating !== true && wordOf(container) !== "removing") this.#created.add(container.id);
      if (container.autoRemove) this.#mayGo.add(container.id);
    }
  }

  opened(): null {
    return null;
  }

  stepped({ outputs, ledger }: Seen): void {
    for (const key of ledger.changed) {
      const container = key.startsWith("container/")
        ? ledger.containers.get(key.slice("container/".length))
        : undefined;
      if (container?.autoRemove === true) this.#mayTakeAlong(container);
    }
    for (const { tag, val } of outputs.records) {
      if (tag === "delete" && val.startsWith(NETWORK)) this.#networkIsGone(val.slice(NETWORK.length));
      // A damaged record is set aside, and the volume gets a new one at once.
      if (tag !== "delete" || !val.startsWith(VOLUME)) continue;
      if (ledger.records.has(val) && ledger.records.has(SET_ASIDE + val)) continue;
      const name = val.slice(VOLUME.length);
      this.#unused(name);
      if (!this.#volumes.delete(name) || this.#mayGoAlong.has(name)) continue;
      broken(`volume ${name} was reported, and is gone without a removal`);
    }
  }

  rested({ ledger, found }: Pick<AtRest, "ledger" | "found"> = { ledger: this.#ledger, found: NOTHING_FOUND }): null {
    for (const id of this.#created) {
      if (!ledger.containers.has(id) && !this.#mayGo.has(id))
        broken(`${id} was created, and is gone without a removal`);
    }
    for (const id of this.#removed) {
      if (ledger.containers.has(id) || found.containers.includes(id)) broken(`${id} was removed, but still exists`);
    }
    for (const id of this.#started) {
      if (ledger.containers.get(id)?.everRan === false) broken(`${id} was started, but never ran`);
    }
    for (const container of ledger.containers.values()) this.#remembered(container);
    return null;
  }

  #remembered(container: ContainerRecord): void {
    const { id, run, exitCode } = container;
    const status = wordOf(container);
    if (this.#ended.get(id) === run && RUNNING.includes(status)) broken(`run ${run} of ${id} was stopped, but runs`);
    const told = this.#codes.get(id);
    if (told?.run === run && status === "exited" && told.code !== exitCode) {
      broken(`run ${run} of ${id} ended with ${told.code} in a reply, but with ${exitCode} in its record`);
    }
  }

  #wasCreated(body: string): void {
    const { Id } = JSON.parse(body) as { Id: string };
    this.#created.add(Id);
    const container = this.#ledger.containers.get(Id);
    if (container?.autoRemove === true) this.#mayGo.add(Id);
    for (const { name } of container?.mounts.filter(isVolume) ?? []) this.#volumes.add(name);
  }

  /** A network is removed only on request, and only if no container is on it. */
  #networkIsGone(id: string): void {
    for (const { id: container, endpoints } of this.#ledger.containers.values()) {
      if (endpoints.some(({ networkId, place }) => place !== undefined && networkId === id))
        broken(`network ${id} is gone, though ${container} is on it`);
    }
    if (!this.#networks.delete(id) || this.#leaving.has(id)) return;
    broken(`network ${id} was reported, and is gone without a removal`);
  }

  /** `ref`: a name, an id or the beginning of an id. */
  #mayLeave(ref: string): void {
    for (const id of this.#ledger.keys(NETWORK)) {
      const { name } = this.#ledger.json<{ name: string }>(NETWORK + id) ?? {};
      if (name === ref || id.startsWith(ref)) this.#leaving.add(id);
    }
  }

  /** A volume is removed only if no container that stays has it. */
  #unused(name: string): void {
    for (const container of this.#ledger.containers.values()) {
      if (wordOf(container) === "removing" || !container.mounts.some((mount) => isVolume(mount) && mount.name === name))
        continue;
      broken(`volume ${name} is gone, though ${container.id} has it`);
    }
  }

  #mayTakeAlong({ mounts }: ContainerRecord): void {
    for (const { name, anonymous } of mounts) if (anonymous) this.#mayGoAlong.add(name);
  }

  #find(ref: string): ContainerRecord | undefined {
    const all = [...this.#ledger.containers.values()];
    const named = all.find(({ id, name }) => id === ref || name === ref || `/${name}` === ref);
    return named ?? all.find(({ id }) => ref !== "" && id.startsWith(ref));
  }
}

function broken(message: string): never {
  throw new Breach("promises", message);
}

function named(body: string): string {
  return (JSON.parse(body) as { Name: string }).Name;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
