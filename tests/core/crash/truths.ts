// The rules that the world, the records and the answers of an engine must follow: after every output, and at rest.

import type { Engine, Request } from "./engine.js";
import { type ContainerRecord, type Memory, containersOf, wordOf } from "./memory.js";
import { Breach } from "./world.js";

const SETTLED = ["created", "running", "paused", "exited", "dead"];
const RUNNING = ["running", "paused"];

/** At any time: each name, address and port belongs to one container. */
export function checkUnique(engine: Engine): void {
  const containers = containersOf(engine.records);
  unique(
    "name",
    containers.map(({ name }) => name),
  );
  const endpoints = containers.flatMap((container) => container.endpoints);
  unique(
    "address",
    endpoints.flatMap(({ networkId, place }) => (place === undefined ? [] : [`${networkId} ${place.address}`])),
  );
  unique(
    "port",
    containers.flatMap(({ sandbox }) =>
      (sandbox?.ports ?? []).map(({ hostAddress, hostPort, protocol }) => `${hostAddress} ${hostPort}/${protocol}`),
    ),
  );
}

/** `MountKind` of core/assembly/container/mounts/mount-point.ts. */
const VOLUME = 1;

/** At rest: records and world agree. */
export function checkAtRest(engine: Engine): void {
  const { mounts, files, sandboxes, networks, volumes, chains, processes, execs, archives } = engine.world.state;
  const containers = containersOf(engine.records);
  for (const container of containers) checkContainer(engine, container);
  for (const container of containers) checkLinks(engine, container, containers);
  // A failed removal may already have removed volumes.
  const alive = containers.filter((container) => wordOf(container) !== "dead");
  const running = containers.filter((container) => RUNNING.includes(wordOf(container))).map(({ id }) => id);
  const unclean = containers.filter((container) => container.unclean).map(({ id }) => id);
  for (const id of mounts.keys()) expectOneOf("mount", id, [...running, ...unclean]);
  for (const id of sandboxes) expectOneOf("network namespace", id, [...running, ...unclean]);
  for (const { container } of processes.values()) expectOneOf("process", container, [...running, ...unclean]);
  for (const { container, running: goesOn } of execs.values()) {
    expectOneOf("exec", container, [...running, ...unclean]);
    if (!goesOn && !unclean.includes(container))
      throw new Breach(`an exec of ${container} has ended, but was not removed`);
  }
  for (const id of files)
    expectOneOf(
      "files",
      id,
      containers.map((container) => container.id),
    );
  same("volumes", volumes, keysOf(engine, "volume/"));
  same("layers", chains.keys(), keysOf(engine, "layer/"));
  for (const id of networks) expectOneOf("network", id, keysOf(engine, "network/"));
  same("archives", archives.keys(), []);
  same("commits under way", keysOf(engine, "commit/"), []);
  for (const { mounts: own } of alive)
    for (const { kind, name } of own) if (kind === VOLUME) expectOneOf("volume", name, [...volumes]);
  checkImages(engine);
}

/** The state of an engine at rest. */
export interface Rest {
  records: Map<string, Uint8Array>;
  files: Set<string>;
}

/** Checks what clients were told. */
export function checkTold({ records, files }: Rest, told: Memory): void {
  const containers = new Map(containersOf(records).map((container) => [container.id, container]));
  for (const id of told.created) {
    if (!containers.has(id) && !told.mayGo.has(id))
      throw new Breach(`a client was told that ${id} was created, and nobody removed it, but it is gone`);
  }
  for (const id of told.removed) {
    if (containers.has(id) || files.has(id))
      throw new Breach(`a client was told that ${id} was removed, but it still exists`);
  }
  for (const id of told.started) {
    if (containers.get(id)?.everRan === false)
      throw new Breach(`a client was told that ${id} was started, but it never ran`);
  }
  for (const [id, run] of told.ended) {
    const container = containers.get(id);
    if (container !== undefined && container.run === run && RUNNING.includes(wordOf(container))) {
      throw new Breach(`a client was told that run ${run} of ${id} ended, but it still runs`);
    }
  }
  for (const [id, { run, code }] of told.codes) {
    const container = containers.get(id);
    if (
      container !== undefined &&
      container.run === run &&
      wordOf(container) === "exited" &&
      container.exitCode !== code
    ) {
      throw new Breach(`a client was told that ${id} exited with ${code}, but its record says ${container.exitCode}`);
    }
  }
  for (const image of told.images) {
    const key = image.startsWith("sha256:") ? `image/${image}` : `reference/docker.io/library/${image}`;
    if (!records.has(key))
      throw new Breach(`a client was told of image ${image}, and nobody deleted it, but it is gone`);
  }
}

/** The last event that a reader received must be in the journal by then. */
export function checkJournaled({ journal }: Engine, { target, text }: Request): void {
  if (target !== "/events") return;
  const last = text.trimEnd().split("\n").at(-1) as string;
  if (last === "") return;
  const { Action, Actor } = JSON.parse(last) as { Action: string; Actor: { ID: string } };
  const from = { tag: "position", val: journal.endsAt.next - 50n } as const;
  const entries = journal.page({ from, bytes: 1 << 20 }).entries.map(({ bytes }) => new TextDecoder().decode(bytes));
  if (entries.some((entry) => entry.includes(Action) && entry.includes(Actor.ID))) return;
  throw new Breach(`a reader received the event ${Action} of ${Actor.ID}, but the journal does not contain it`);
}

/** No request waits for something that cannot happen. */
export function checkHangs(engine: Engine): void {
  const containers = containersOf(engine.records);
  for (const request of engine.requests) {
    if (request.over || request.gone) continue;
    const [, noun, exec = ""] = request.target.split("/");
    if (noun === "events") continue;
    if (noun === "exec" && engine.world.state.execs.get(exec)?.running === true) continue;
    const container = containers.find(({ name }) => request.target.startsWith(`/containers/${name}/`));
    if (container !== undefined && mayWait(request, container)) continue;
    throw new Breach(`${request.method} ${request.target} waits for something that cannot happen`);
  }
}

function mayWait({ target, run }: Request, container: ContainerRecord): boolean {
  const runs = RUNNING.includes(wordOf(container));
  if (target.includes("/attach")) return runs ? run === container.run : run > container.run;
  if (/condition=(next-exit|removed)/.test(target)) return true;
  return runs && target.includes("/wait");
}

function checkContainer(engine: Engine, container: ContainerRecord): void {
  const { id, run, everRan, chain } = container;
  const { mounts, files, chains } = engine.world.state;
  const status = wordOf(container);
  expectOneOf("status", status, SETTLED);
  if (chain !== undefined) expectOneOf("layer", chain, [...chains.keys()]);
  if (everRan && status !== "dead") expectOneOf("files of a container that ran", id, [...files]);
  const process = engine.world.running(id);
  if (!RUNNING.includes(status)) {
    if (process !== undefined) throw new Breach(`${id} is ${status}, but its process runs`);
    return;
  }
  if (process?.run !== run) throw new Breach(`run ${run} of ${id} has no process`);
  if (process.frozen !== (status === "paused"))
    throw new Breach(`${id} is ${status}, but its process is ${process.frozen ? "frozen" : "not frozen"}`);
  const { Memory } = container.hostConfig;
  if (process.memory !== Memory)
    throw new Breach(`the memory limit of ${id} is ${Memory}, but its process has ${process.memory}`);
  expectOneOf("mount of a running container", id, [...mounts.keys()]);
  checkPlaces(engine, container);
}

/** A running container is on the networks of its record, with these addresses, and on no others. */
function checkPlaces({ world }: Engine, { id, networkMode, endpoints }: ContainerRecord): void {
  const joins = [...world.state.joins.values()].filter(({ container }) => container === id);
  const told = endpoints.flatMap(({ networkId = "", place }) => (place ? [`${networkId} ${place.address}`] : []));
  const had = joins.map(({ network, address }) => `${network} ${address}`);
  if (told.toSorted().join() !== had.toSorted().join()) {
    throw new Breach(`the record of ${id} has the addresses ${told.join()}, but the world gave it ${had.join()}`);
  }
  if (networkMode !== "none" && endpoints.some(({ place }) => place === undefined)) {
    throw new Breach(`${id} is running, but it is not on all its networks`);
  }
}

/** A running container knows the addresses of the containers that it links to, as long as they run. */
function checkLinks({ world }: Engine, { id, networkMode, links = [] }: ContainerRecord, all: ContainerRecord[]): void {
  const process = world.running(id);
  if (process === undefined || networkMode !== "bridge") return;
  for (const { alias, container } of links) {
    const { endpoints = [] } = all.find((one) => one.id === container) ?? {};
    const address = endpoints.find(({ network }) => network === "bridge")?.place?.address;
    if (address === undefined || world.running(container) === undefined) continue;
    if (process.hosts.includes(`${address}\t${alias} `)) continue;
    throw new Breach(`${alias} has the address ${address}, but the hosts file of ${id} is\n${process.hosts}`);
  }
}

function checkImages(engine: Engine): void {
  same("configs", keysOf(engine, "config/"), keysOf(engine, "image/"));
  for (const id of keysOf(engine, "image/")) {
    const config = JSON.parse(new TextDecoder().decode(engine.records.get(`config/${id}`))) as {
      rootfs: { diff_ids: string[] };
    };
    const layers = keysOf(engine, "layer/").map((key) => new TextDecoder().decode(engine.records.get(`layer/${key}`)));
    for (const diffId of config.rootfs.diff_ids) {
      if (!layers.some((layer) => layer.includes(diffId))) throw new Breach(`image ${id} has no layer ${diffId}`);
    }
  }
  const images = keysOf(engine, "image/");
  for (const key of keysOf(engine, "reference/")) {
    expectOneOf("image of a name", new TextDecoder().decode(engine.records.get(`reference/${key}`)), images);
  }
}

function keysOf(engine: Engine, prefix: string): string[] {
  return [...engine.records.keys()].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
}

function unique(what: string, values: string[]): void {
  if (new Set(values).size < values.length)
    throw new Breach(`two containers have the same ${what}: ${values.join(", ")}`);
}

function same(what: string, found: Iterable<string>, recorded: Iterable<string>): void {
  const [left, right] = [[...found].sort().join("\n"), [...recorded].sort().join("\n")];
  if (left !== right) throw new Breach(`${what} of the world:\n${left}\nbut of the records:\n${right}`);
}

function expectOneOf(what: string, value: string, allowed: string[]): void {
  if (!allowed.includes(value)) throw new Breach(`${what} ${value} is not one of: ${allowed.join(", ")}`);
}
