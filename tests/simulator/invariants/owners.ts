// Checks owners: each name, address and port belongs to one container, and every object on the machine has an owner,
// or a pending operation makes or removes it.

import type { PastBuildRecord } from "../../../build/core/record-types.js";
import type { replies } from "../../../hosts/shared/host.js";
import { Breach } from "../breach.js";
import { type ContainerRecord, type Ledger, wordOf, RUNNING } from "../ledger.js";
import { Failures } from "./failures.js";
import { type AtRest, type Invariant, type Seen } from "./invariant.js";
import { eventsOf } from "./journal.js";
import type { Operations } from "./operations.js";
import type { Replies } from "./replies.js";

const decoder = new TextDecoder();

/** Records whose files are a volume of the machine: those of clients, and the caches of builds. */
const OF_VOLUMES = ["volume/", "damaged/volume/", "cache/"] as const;
const BUILDS = "build/";
const SETTLED = ["created", "running", "paused", "exited", "dead", "restarting"];
/** `MountKind` of core/assembly/container/mounts/mount-point.ts. */
const VOLUME = 1;

export class Owners implements Invariant {
  readonly #operations: Operations;
  readonly #replies: Replies;
  /** Volumes that could not be made or dropped, by name. */
  readonly #unmade = new Failures("make");
  readonly #undropped = new Failures("drop");
  /** Volumes that are being made, for a client or with a container. No client knows them yet. */
  readonly #untold = new Set<string>();
  /** File systems of builds that are no container's, by id. */
  readonly #sites = new Set<string>();
  /** Those that could not be dropped: the next engine does it. */
  readonly #keptSites = new Failures("drop-container");
  /** Logs of steps whose builds have no record yet, by the ids of their copies. */
  readonly #newLogs = new Set<string>();
  #volumesBefore: ReadonlySet<string> = new Set();
  #allowed: Allowed | null = null;

  constructor(operations: Operations, replies: Replies) {
    this.#operations = operations;
    this.#replies = replies;
  }

  stepped(seen: Seen): void {
    const { ledger } = seen;
    this.#unmade.stepped(seen);
    this.#undropped.stepped(seen);
    this.#keptSites.stepped(seen);
    this.#placed(seen);
    this.#added(seen);
    this.#machine(ledger, seen.found(), (id) => this.#replies.needFiles(id));
    if (!ledger.changed.some((key) => key.startsWith("container/"))) return;
    const containers = [...ledger.containers.values()];
    unique("name", containers, ({ name }) => [name]);
    unique("address", containers, ({ endpoints }) =>
      endpoints.flatMap(({ networkId, place }) => addressesOf(place).map((address) => `${address} on ${networkId}`)),
    );
    unique("port", containers, ({ sandbox }) => {
      return (sandbox?.ports ?? []).map((port) => `${port.hostAddress} ${port.hostPort}/${port.protocol}`);
    });
  }

  rested({ ledger, found, inFlight }: AtRest): void {
    if (inFlight > 0) throw new Breach("owners", `${inFlight} operations are pending at rest`);
    if (this.#sites.size > 0 && !this.#replies.areBuilding) {
      throw new Breach("owners", `no build is under way, but ${[...this.#sites].join(", ")} is not dropped`);
    }
    if (!this.#replies.areBuilding) this.#newLogs.clear();
    for (const container of ledger.containers.values()) {
      const status = wordOf(container);
      if (!SETTLED.includes(status)) throw new Breach("owners", `${container.id} stays ${status}`);
      this.#container(container, found);
    }
    this.#machine(ledger, found, () => false);
    const had = namesOf(ledger);
    const left = [...this.#untold].find((name) => !had.includes(name) && !this.#undropped.has(name));
    if (left !== undefined) throw new Breach("owners", `volume ${left} is left from a failed creation`);
  }

  #added({ outputs, opening, ledger }: Seen): void {
    if (opening !== null || ledger.changed.some((key) => key.startsWith("volume/"))) {
      const names = new Set(ledger.keys("volume/"));
      // A client may know a volume that a restart finds, even if the event was not committed.
      if (opening === null) for (const name of names) if (!this.#volumesBefore.has(name)) this.#untold.add(name);
      // One that was being made for a client stays after a restart. The client may ask again.
      const mounted = opening === null ? null : namesOf(ledger);
      for (const name of this.#untold) {
        if (!names.has(name) || mounted?.includes(name) === false) this.#untold.delete(name);
      }
      this.#volumesBefore = names;
    }
    for (const { type, action, id } of eventsOf(outputs.records)) {
      if (action !== "create") continue;
      // Its client may have left before the answer.
      if (type === "volume") this.#untold.delete(id);
      if (type !== "container") continue;
      for (const { name } of ledger.containers.get(id)?.mounts ?? []) this.#untold.delete(name);
    }
    for (const { command } of outputs.replies) if (command.tag === "whole") this.#told(command.val);
  }

  #told({ head, body }: replies.Whole): void {
    if (head.status !== 201 || body.length === 0) return;
    const { Name, Mountpoint } = JSON.parse(decoder.decode(body)) as { Name?: string; Mountpoint?: string };
    if (Name !== undefined && Mountpoint !== undefined) this.#untold.delete(Name);
  }

  /** A build drops what it has mounted. */
  #placed({ outputs, opening, ledger }: Seen): void {
    if (opening !== null) {
      this.#sites.clear();
      this.#newLogs.clear();
    }
    for (const { command } of outputs.effects) {
      if (command.tag === "mount" && typeof command.val === "object" && "bare" in command.val && command.val.bare) {
        this.#sites.add(command.val.container);
      }
      if (command.tag === "hold-secret" || command.tag === "forward-agent") this.#sites.add(command.val.container);
      if (command.tag === "keep-log") this.#newLogs.add(command.val.copy.container);
      if (command.tag === "drop-container") this.#sites.delete(command.val);
    }
    if (ledger.changed.some((key) => key.startsWith(BUILDS))) {
      for (const id of logsOf(ledger)) this.#newLogs.delete(id);
    }
  }

  /** No process, exec, mount, network endpoint or file outlives its owner. */
  #machine(ledger: Ledger, found: AtRest["found"], isNeeded: (id: string) => boolean): void {
    if (this.#allowed?.version !== ledger.version) this.#allowed = allowedBy(ledger);
    const { ids, files, networks, volumes } = this.#allowed;
    const ofContainers = (all: readonly { container: string }[]): string[] => all.map(({ container }) => container);
    const isPlace = (id: string): boolean => this.#sites.has(id) || this.#keptSites.has(id);
    const mounts = found.mounts.filter((id) => !isNeeded(id) && !isPlace(id));
    this.#only("mount", mounts, ids);
    this.#only("place on a network", ofContainers(found.joins), ids);
    this.#only("network namespace", found.sandboxes, ids);
    this.#only("process", ofContainers(found.processes), ids);
    this.#only("exec", ofContainers(found.execs.map(({ subject }) => subject)), ids);
    const filed = found.containers.filter((id) => !isPlace(id) && !this.#newLogs.has(id));
    this.#only("files", filed, files);
    this.#only("network", found.networks, networks);
    this.#volumes(ledger, found.volumes, volumes);
  }

  #container(container: ContainerRecord, found: AtRest["found"]): void {
    const { id, run } = container;
    const status = wordOf(container);
    const process = found.processes.find((one) => one.container === id && one.state.tag === "running");
    if (!isRunning(container)) {
      if (process !== undefined) throw new Breach("owners", `${id} is ${status}, but its process runs`);
      return;
    }
    if (process?.run !== run) throw new Breach("owners", `run ${run} of ${id} is ${status}, but has no process`);
    if (!found.mounts.includes(id)) throw new Breach("owners", `${id} runs, but its files are not mounted`);
    this.#places(container, found);
  }

  /** A running container is on all networks of its record, with these addresses, and on no others. */
  #places({ id, endpoints }: ContainerRecord, found: AtRest["found"]): void {
    const joined = found.joins
      .filter((join) => join.container === id)
      .map(({ network, address, ipv6Address }) => [network, address, ipv6Address]);
    const told = endpoints.flatMap(({ networkId, place }) =>
      place === undefined ? [] : [[networkId, place.address, place.ipv6Address ?? ""]],
    );
    const isMissing = endpoints.some((one) => one.place === undefined && !["host", "none"].includes(one.network));
    if (!isMissing && joined.toSorted().join() === told.toSorted().join()) return;
    throw new Breach("owners", `${id} runs on ${told.join(" and ")}, but the host has it on ${joined.join(" and ")}`);
  }

  #volumes({ containers }: Ledger, found: readonly string[], kept: ReadonlySet<string>): void {
    this.#only("volume", found, kept);
    this.#only(
      "volume of a record",
      [...kept].filter((name) => !this.#unmade.has(name) && !this.#undropped.has(name)),
      new Set(found),
    );
    for (const container of containers.values()) {
      // A failed removal may already have removed volumes.
      if (["removing", "dead"].includes(wordOf(container))) continue;
      const own = container.mounts.filter(({ kind }) => kind === VOLUME).map(({ name }) => name);
      this.#only(`volume of ${container.id}`, own, kept);
    }
  }

  #only(what: string, found: Iterable<string>, allowed: ReadonlySet<string>): void {
    for (const one of found) {
      if (!allowed.has(one) && !this.#operations.speakOf(one))
        throw new Breach("owners", `${what} ${one} has no owner`);
    }
  }
}

/** Ids and names that objects on the machine may have, by the records of one version. */
interface Allowed {
  version: number;
  /** Containers that may have mounts, processes and so on. */
  ids: ReadonlySet<string>;
  files: ReadonlySet<string>;
  networks: ReadonlySet<string>;
  volumes: ReadonlySet<string>;
}

function allowedBy(ledger: Ledger): Allowed {
  const { version } = ledger;
  const containers = [...ledger.containers.values()];
  // A container in a transitional status may have all, some or none of these.
  const owners = containers.filter((one) => !SETTLED.includes(wordOf(one)) || isRunning(one) || one.unclean);
  // Objects of a damaged record stay.
  const damaged = ledger.keys("damaged/container/");
  const ids = new Set([...owners.map(({ id }) => id), ...damaged]);
  const files = new Set([...ledger.containers.keys(), ...damaged, ...logsOf(ledger)]);
  const networks = new Set([...ledger.keys("network/"), ...ledger.keys("damaged/network/")]);
  const volumes = new Set(OF_VOLUMES.flatMap((kind) => ledger.keys(kind)));
  return { version, ids, files, networks, volumes };
}

/** What is kept of the steps of builds that are over, by the ids of the containers that have the logs. */
function logsOf(ledger: Ledger): string[] {
  const builds = ledger.keys(BUILDS).flatMap((id) => ledger.json<PastBuildRecord>(BUILDS + id) ?? []);
  return builds.flatMap(({ logs = [] }) => logs.map(({ container }) => container));
}

/** Names of all volumes that containers have. */
function namesOf({ containers }: Ledger): string[] {
  return [...containers.values()].flatMap(({ mounts }) => mounts.map(({ name }) => name));
}

function unique(what: string, all: ContainerRecord[], of: (container: ContainerRecord) => string[]): void {
  const owners = new Map<string, string>();
  for (const container of all) {
    for (const value of of(container)) {
      const owner = owners.get(value);
      if (owner !== undefined && owner !== container.id) {
        throw new Breach("owners", `the ${what} ${value} belongs to both ${owner} and ${container.id}`);
      }
      owners.set(value, container.id);
    }
  }
}

function isRunning(container: ContainerRecord): boolean {
  return RUNNING.includes(wordOf(container));
}

function addressesOf(place: ContainerRecord["endpoints"][number]["place"]): string[] {
  return [place?.address ?? "", place?.ipv6Address ?? ""].filter((address) => address !== "");
}
