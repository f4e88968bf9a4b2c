// Names, addresses and ports belong to one container each, and what is there belongs to somebody.

import { Breach } from "../breach.js";
import { type ContainerRecord, type Ledger, wordOf } from "../ledger.js";
import { Failures } from "./failures.js";
import type { AtRest, Invariant, Seen } from "./invariant.js";

const SETTLED = ["created", "running", "paused", "exited", "dead", "restarting"];
const RUNNING = ["running", "paused"];
/** `MountKind` of core/assembly/container/mount-point.ts. */
const VOLUME = 1;

export class Owners implements Invariant {
  /** Volumes, by name. */
  readonly #unmade = new Failures("make");
  readonly #undropped = new Failures("drop");

  stepped(seen: Seen): void {
    const { ledger } = seen;
    this.#unmade.stepped(seen);
    this.#undropped.stepped(seen);
    if (!ledger.changed.some((key) => key.startsWith("container/"))) return;
    const containers = [...ledger.containers.values()];
    unique("name", containers, ({ name }) => [name]);
    unique("address", containers, ({ endpoint }) => (endpoint === undefined ? [] : [endpoint.address]));
    unique("port", containers, ({ endpoint }) => {
      return (endpoint?.ports ?? []).map((port) => `${port.hostAddress} ${port.hostPort}/${port.protocol}`);
    });
  }

  /** No process, exec, mount, place on a network or file outlives its owner. */
  rested({ ledger, found, inFlight }: AtRest): void {
    if (inFlight > 0) throw new Breach("owners", `${inFlight} operations are under way, and nobody waits for them`);
    const containers = [...ledger.containers.values()];
    for (const container of containers) this.#container(container, found);
    const running = containers.filter((one) => RUNNING.includes(wordOf(one)) || one.unclean).map(({ id }) => id);
    const known = new Set(containers.map(({ id }) => id));
    only("mount", found.mounts, new Set(running));
    only(
      "place on a network",
      found.joins.map((join) => join.container),
      new Set(running),
    );
    only(
      "process",
      found.processes.map((one) => one.container),
      new Set(running),
    );
    only(
      "exec",
      found.execs.map(({ subject }) => subject.container),
      new Set(running),
    );
    only("files", found.containers, known);
    this.#networks(ledger, found.networks);
    this.#volumes(ledger, found.volumes, containers);
  }

  #container(container: ContainerRecord, found: AtRest["found"]): void {
    const { id, run, networkMode, endpoint } = container;
    const status = wordOf(container);
    if (!SETTLED.includes(status)) throw new Breach("owners", `${id} stays ${status}`);
    const process = found.processes.find((one) => one.container === id && one.state.tag === "running");
    if (!RUNNING.includes(status)) {
      if (process !== undefined) throw new Breach("owners", `${id} is ${status}, and its process runs`);
      return;
    }
    if (process?.run !== run) throw new Breach("owners", `run ${run} of ${id} is ${status} and has no process`);
    if (!found.mounts.includes(id)) throw new Breach("owners", `${id} runs without its files`);
    const joined = found.joins.some((join) => join.container === id);
    if (networkMode === "bridge" && (!joined || endpoint === undefined)) {
      throw new Breach("owners", `${id} runs on a bridge, and is not on it`);
    }
  }

  #networks(ledger: Ledger, found: readonly string[]): void {
    only("network", found, new Set(ledger.keys("network/")));
  }

  #volumes(ledger: Ledger, found: readonly string[], containers: readonly ContainerRecord[]): void {
    const kept = new Set(ledger.keys("volume/"));
    only("volume", found, kept);
    only(
      "volume of a record",
      [...kept].filter((name) => !this.#unmade.has(name) && !this.#undropped.has(name)),
      new Set(found),
    );
    for (const container of containers) {
      // A removal that failed may have taken volumes already.
      if (wordOf(container) === "dead") continue;
      const own = container.mounts.filter(({ kind }) => kind === VOLUME).map(({ name }) => name);
      only(`volume of ${container.id}`, own, kept);
    }
  }
}

function unique(what: string, all: ContainerRecord[], of: (container: ContainerRecord) => string[]): void {
  const owners = new Map<string, string>();
  for (const container of all) {
    for (const value of of(container)) {
      const owner = owners.get(value);
      if (owner !== undefined && owner !== container.id) {
        throw new Breach("owners", `one ${what} for two: ${value} is ${owner}'s and ${container.id}'s`);
      }
      owners.set(value, container.id);
    }
  }
}

function only(what: string, found: Iterable<string>, allowed: ReadonlySet<string>): void {
  for (const one of found) if (!allowed.has(one)) throw new Breach("owners", `${what} ${one} has no owner`);
}
