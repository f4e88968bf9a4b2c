// A world that obeys the core's commands according to the contracts of core/wit: *state* commands may be repeated,
// *once* commands must not. A command that the core must never give is a breach and ends the test.

import type {
  Outcome,
  content,
  engine,
  failures,
  networks,
  processes,
  types,
  volumes,
} from "../../../hosts/shared/host.js";
import type { HostEffect } from "../../../hosts/shared/outputs.js";
import { digestOf, encode } from "../support/image-world.js";
import { sampleOf } from "../support/samples.js";
import { archiveOf, configOf, manifestOf } from "./registry.js";
import { copyOf, emptyState, processOf } from "./state.js";
import { answered } from "../../support/registry/registry-failures.js";
import type { Exec, Process, State } from "./state.js";

/** What counts of a container's connection to a network. */
interface Joined extends Pick<networks.Join, "container" | "address" | "ipv6Address" | "ports"> {
  bridge: Pick<networks.Bridge, "network">;
}

export class Failed extends Error {
  constructor(readonly failure: failures.Failure) {
    super(failure.tag);
  }
}

function noSuch(what: failures.Noun): Failed {
  return new Failed({ tag: "no-such", val: { what, name: "" } });
}

export class Breach extends Error {}

export class World {
  state: State;
  /** Commands of these kinds fail once. */
  readonly faults = new Set<string>();
  /** Bodies of requests: names of images. */
  readonly bodies = new Map<bigint, string>();
  /** Processes that ended by themselves or by a signal, not reported yet. */
  readonly exits: Process[] = [];
  /** The same for execs, with their exit codes. */
  readonly execEnds: { exec: string; code: number }[] = [];

  constructor(state: State = emptyState()) {
    this.state = state;
  }

  /** What a crash of the engine leaves: neither archives nor layers that are not flushed survive it. */
  afterCrash(): World {
    return new World({ ...copyOf(this.state), archives: new Map(), unflushed: new Map() });
  }

  copy(): World {
    const world = new World(copyOf(this.state));
    for (const fault of this.faults) world.faults.add(fault);
    for (const [request, image] of this.bodies) world.bodies.set(request, image);
    world.exits.push(...this.exits.map((process) => ({ ...process })));
    world.execEnds.push(...this.execEnds.map((end) => ({ ...end })));
    return world;
  }

  inventory(): engine.Inventory {
    const { mounts, files, joins, networks: made, volumes: kept, chains, processes: launches } = this.state;
    return {
      processes: [...launches.values()].map((process) => ({ ...process, state: stateOf(process), memoryKills: 0 })),
      execs: [...this.state.execs.values()].map(({ exec, container, run, running, code }) => {
        const exit = code === undefined ? undefined : { code, outOfMemory: false, lost: false, at: 0n };
        return { exec, subject: { container, run }, running, ...(exit && { exit }) };
      }),
      mounts: [...mounts.keys()],
      containers: [...files],
      joins: [...joins.values()].map(({ container, network, address, ipv6Address }) => {
        return { container, network, address, ipv6Address };
      }),
      sandboxes: [...this.state.sandboxes],
      networks: [...made],
      volumes: [...kept],
      chains: [...chains.keys()],
      rests: [],
    };
  }

  /** Throws `Failed` for operations that may fail on a host. */
  perform(effect: HostEffect, interrupted: boolean): Outcome {
    if (interrupted) throw new Failed({ tag: "interrupted", val: "given-up" });
    if (this.faults.delete(effect.command.tag)) this.#fail(effect);
    switch (effect.to) {
      case "processes":
        return this.#process(effect.command);
      case "content":
        return this.#content(effect.command);
      case "networks":
        return this.#network(effect.command);
      case "volumes":
        return this.#volume(effect.command);
      case "records":
        throw new Breach("the journal is not part of the world");
    }
  }

  /** A process ends by itself, or is killed. */
  end(process: Process, code: number): void {
    process.status = "exited";
    process.frozen = false;
    process.code = code;
    this.exits.push(process);
    // No process continues in a pid namespace whose first process has ended.
    for (const exec of this.state.execs.values())
      if (exec.container === process.container && exec.run === process.run) this.endExec(exec, 137);
    const among = [...this.state.processes.values()].filter(({ joined }) => joined === process.container);
    for (const one of among) if (one.status === "running") this.end(one, 137);
  }

  endExec(exec: Exec, code: number): void {
    if (!exec.running) return;
    exec.running = false;
    exec.code = code;
    this.execEnds.push({ exec: exec.exec, code });
  }

  running(container: string): Process | undefined {
    return [...this.state.processes.values()].find((one) => one.container === container && one.status === "running");
  }

  /** A failed launch may leave something that only `reap` removes. */
  #fail(effect: HostEffect): never {
    if (effect.to === "processes" && effect.command.tag === "launch") {
      const { container, run } = effect.command.val;
      this.state.processes.set(`${container} ${run}`, processOf(container, run, "unstarted"));
    }
    const port = { protocol: "tcp", address: "0.0.0.0", port: 1, error: "EADDRINUSE" };
    if (effect.command.tag === "join") throw new Failed({ tag: "port", val: port });
    throw new Failed({ tag: "internal", val: `${effect.command.tag} fails` });
  }

  #process(command: processes.ProcessCommand): Outcome {
    if (command.tag === "launch") return this.#launch(command.val);
    if (command.tag === "exec") return this.#exec(command.val);
    if (command.tag === "reap-exec") return this.#reapExec(command.val);
    if (command.tag === "count-own") return { tag: "own-process", val: { descriptors: 0, tasks: 0 } };
    const { container, run } = subjectOf(command);
    if (command.tag === "reap") {
      this.state.processes.delete(`${container} ${run}`);
      for (const one of [...this.state.execs.values()])
        if (one.container === container && one.run === run) this.#reapExec(one.exec);
      return { tag: "done" };
    }
    const process = this.state.processes.get(`${container} ${run}`);
    if (process?.status !== "running") {
      if (command.tag === "resume") return { tag: "done" };
      throw noSuch("process");
    }
    if (command.tag === "pause") process.frozen = true;
    if (command.tag === "resume") {
      process.frozen = false;
      if (process.pending) this.end(process, 143);
    }
    if (command.tag === "signal") this.#signal(process, command.val.number);
    if (command.tag === "limit") process.memory = memoryOf(JSON.parse(new TextDecoder().decode(command.val.resources)));
    if (command.tag === "rewrite") process.hosts = hostsOf([command.val.file]);
    if (command.tag === "sample") return { tag: "sample", val: sampleOf(0n) };
    if (command.tag === "ps") return { tag: "ps", val: { text: new Uint8Array(), pids: new Uint32Array() } };
    return { tag: "done" };
  }

  #launch(launch: processes.Launch): Outcome {
    const { container, run } = launch;
    const spec = new TextDecoder().decode(launch.spec);
    if (!this.state.mounts.has(container)) throw new Breach(`launch of ${container} without its mount`);
    if (spec.includes('"network:"') && !this.state.sandboxes.has(container))
      throw new Breach("launch without its network");
    if (this.running(container)) throw new Breach(`launch of ${container} while it runs`);
    if (this.state.processes.has(`${container} ${run}`)) throw new Breach(`launch of run ${run} asked twice`);
    const process = processOf(container, run, "running");
    process.joined = /"pid:([0-9a-f]{64})"/.exec(spec)?.[1] ?? "";
    if (process.joined !== "" && !this.running(process.joined)) throw noSuch("run");
    process.stubborn = spec.includes("stubborn");
    process.memory = memoryOf(JSON.parse(spec).linux.resources);
    process.hosts = hostsOf(launch.files);
    process.volumes = new Set(Array.from(spec.matchAll(/"volume:([^"/]+)/g), ([, name = ""]) => name));
    this.state.processes.set(`${container} ${run}`, process);
    return { tag: "launched", val: { pid: 100 + run, at: 0n } };
  }

  #exec({ exec, subject: { container, run } }: processes.Exec): Outcome {
    if (this.state.execs.has(exec)) throw new Breach(`exec ${exec} asked twice`);
    if (this.state.processes.get(`${container} ${run}`)?.status !== "running") throw noSuch("run");
    this.state.execs.set(exec, { exec, container, run, running: true });
    return { tag: "launched", val: { pid: 200, at: 0n } };
  }

  /** An end that was not reported is never reported. */
  #reapExec(exec: string): Outcome {
    this.state.execs.delete(exec);
    const ends = this.execEnds.filter((end) => end.exec !== exec);
    this.execEnds.splice(0, this.execEnds.length, ...ends);
    return { tag: "done" };
  }

  #signal(process: Process, number: number): void {
    if (number === 9) this.end(process, 137);
    else if (number !== 15 || process.stubborn) return;
    else if (process.frozen) process.pending = true;
    else this.end(process, 143);
  }

  #content(command: content.ContentCommand): Outcome {
    const { mounts, files, chains, archives } = this.state;
    switch (command.tag) {
      case "resolve": {
        const image = manifestOf(command.val);
        if (image === undefined) throw new Failed(answered(404, "MANIFEST_UNKNOWN", "manifest unknown"));
        return { tag: "resolved", val: { bytes: image.manifest, mediaType: "", digest: image.digest } };
      }
      case "blob":
        return { tag: "bytes", val: configOf(command.val.digest) ?? new Uint8Array() };
      case "layer":
        return this.#layer(command.val);
      case "find-credentials":
      case "hold-secret":
      case "send-files":
      case "send-images":
      case "read-document":
      case "give-blobs":
      case "forward-agent":
        throw new Failed({ tag: "interrupted", val: "client-gone" });
      case "blob-of":
      case "find-blob":
      case "mount-blob":
        throw noSuch("blob");
      case "upload":
        this.requireChains([command.val.chain]);
        return { tag: "sent", val: { digest: command.val.chain, size: 1n, compression: "gzip" } };
      case "mount": {
        const chain = command.val.chain ?? null;
        if (chain !== null && !chains.has(chain)) throw new Breach(`mount on ${chain}, which is not there`);
        mounts.set(command.val.container, chain);
        this.state.mountedOnce.add(command.val.container);
        files.add(command.val.container);
        return { tag: "done" };
      }
      case "unmount":
        mounts.delete(command.val);
        return { tag: "done" };
      case "measure":
        return { tag: "size", val: 1n };
      case "measure-tar":
        this.requireChains([command.val.chain]);
        return { tag: "size", val: 1n };
      case "free-space":
        return { tag: "size", val: 1n };
      case "commit":
        return this.#commit(command.val);
      case "ingest": {
        const members = archiveOf(this.bodies.get(command.val.request) as string);
        archives.set(command.val.archive, members);
        const list = [...members].map(([path, bytes]) => ({ path, size: BigInt(bytes.length) }));
        return { tag: "ingested", val: list };
      }
      case "receive": {
        const tar = encode(`tar ${command.val.archive}`);
        archives.set(command.val.archive, new Map([["layer.tar", tar]]));
        return { tag: "received", val: digestOf(tar) };
      }
      case "read":
        return { tag: "bytes", val: this.#member(command.val) };
      case "stat":
        return { tag: "stat", val: this.#stat(command.val.view) };
      case "make-directory":
        return { tag: "stat", val: this.#stat(command.val.at.view) };
      case "compare":
        return { tag: "changed", val: [{ path: "/data", kind: "added" }] };
      case "extract":
        this.#requireFiles(command.val.into.view);
        return { tag: "done" };
      case "read-file":
        this.#requireFiles(command.val.at.view);
        return { tag: "bytes", val: new TextEncoder().encode("FROM scratch\nCOPY data /\n") };
      case "list-files":
        this.#requireFiles(command.val.at.view);
        return { tag: "listed", val: [] };
      case "choose":
        this.#requireFiles(command.val.from);
        return {
          tag: "chosen",
          val: { files: [{ path: "data", directory: false, pattern: 0 }], digest: `sha256:${"d".repeat(64)}` },
        };
      case "copy":
        this.#requireFiles(command.val.into);
        return { tag: "done" };
      case "download": {
        this.#requireFiles(command.val.into.view);
        const val = { digest: `sha256:${"e".repeat(64)}`, size: 1n, disposition: "", mediaType: "text/plain" };
        return { tag: "downloaded", val: { ...val, beginning: Uint8Array.of(0x46) } };
      }
      case "clone":
        this.#requireFiles(command.val.into.view);
        return { tag: "bytes", val: new TextEncoder().encode("c".repeat(40)) };
      case "flush-layers":
        for (const chain of command.val) this.#flush(chain);
        return { tag: "done" };
      case "drop-chain":
        this.#dropChain(command.val);
        return { tag: "done" };
      case "keep-log":
        files.add(command.val.copy.container);
        return { tag: "size", val: 1n };
      case "drop-container":
        if (mounts.has(command.val)) throw new Breach(`files of ${command.val} dropped under its mount`);
        files.delete(command.val);
        return { tag: "done" };
      case "drop-archive":
        archives.delete(command.val);
        return { tag: "done" };
      case "abandon":
        return { tag: "done" };
      default:
        throw new Breach(`nobody should ask for ${command.tag}`);
    }
  }

  /** Layers of an archive that is being sent. */
  requireChains(chains: readonly string[]): void {
    for (const chain of chains) {
      if (!this.state.chains.has(chain)) throw new Breach(`the tar of ${chain} is read, which is not there`);
    }
  }

  #stat(view: types.View): engine.FileStat {
    this.#requireFiles(view);
    return { name: "data", size: 0n, mode: 0o040755, modified: 0n, linkTarget: "", place: "/", readOnly: false };
  }

  /** They must be mounted, even those of a run that has ended. */
  #requireFiles({ container, places }: types.View): void {
    if (!this.state.mounts.has(container) && this.state.files.has(container)) {
      throw new Breach(`files of ${container} looked at, which are not mounted`);
    }
    for (const { source } of places) {
      const volume = /^volume:([^/]+)/.exec(source)?.[1];
      if (volume !== undefined && !this.state.volumes.has(volume)) throw new Breach(`${source} is not there`);
    }
  }

  #layer({ chain, parent, source, unflushed }: content.Layer): Outcome {
    const { chains, unflushed: waiting } = this.state;
    if (parent !== undefined && !chains.has(parent) && !waiting.has(parent)) throw noSuch("layer");
    if (source.tag === "archived") this.#member(source.val);
    (unflushed ? waiting : chains).set(chain, parent ?? null);
    return { tag: "size", val: 10n };
  }

  #flush(chain: string): void {
    const { chains, unflushed } = this.state;
    const parent = unflushed.get(chain);
    if (parent !== undefined) chains.set(chain, parent);
    else if (!chains.has(chain)) throw new Breach(`${chain} flushed, which is not there`);
    unflushed.delete(chain);
  }

  /** Every commit of a container has different changes, but every third one has none. */
  #commit({ archive, container }: content.Commit): Outcome {
    const count = ++this.state.commits;
    this.state.archives.set(archive, new Map([["layer.tar", new Uint8Array(1)]]));
    const diffId = digestOf(encode(`changes ${count} of ${container}`));
    return { tag: "committed", val: { diffId, size: 1n, empty: count % 3 === 0 } };
  }

  #member({ archive, path }: content.Member): Uint8Array {
    const bytes = this.state.archives.get(archive)?.get(path);
    if (bytes === undefined) throw new Breach(`${path} of archive ${archive}, which is not there`);
    return bytes;
  }

  #dropChain(chain: string): void {
    const { chains, mounts } = this.state;
    if ([...mounts.values()].includes(chain)) throw new Breach(`${chain} dropped under a mount`);
    chains.delete(chain);
    this.state.unflushed.delete(chain);
  }

  #network(command: networks.NetworkCommand): Outcome {
    const { networks: made, joins, sandboxes } = this.state;
    if (command.tag === "make" || command.tag === "make-parent-network") made.add(command.val.network);
    else if (command.tag === "drop") made.delete(command.val);
    else if (command.tag === "leave") joins.delete(`${command.val.container} ${command.val.network}`);
    else if (command.tag === "join") this.#join(command.val);
    else if (command.tag === "join-parent") this.#joinParent(command.val);
    else if (command.tag === "leave-all") {
      for (const [place, { container }] of joins) if (container === command.val) joins.delete(place);
      sandboxes.delete(command.val);
    } else if (command.tag !== "routes") this.#requireJoin(command.val.container);
    else return { tag: "names", val: [] };
    return { tag: "done" };
  }

  #requireJoin(container: string): void {
    if (!this.state.sandboxes.has(container)) throw new Breach("names without a network");
  }

  #joinParent({ container, network: bridge, address, ipv6Address }: networks.ParentJoin): void {
    const [own = "", ipv6 = ""] = [address, ipv6Address].map((text) => text.split("/")[0]);
    this.#join({ container, bridge, address: own, ipv6Address: ipv6, ports: [] });
  }

  #join({ container, bridge, address, ipv6Address, ports }: Joined): void {
    const { networks: made, joins } = this.state;
    if (!made.has(bridge.network)) throw new Breach("join of a network that is not made");
    const wanted = portsTaken(ports);
    const place = `${container} ${bridge.network}`;
    for (const [other, join] of joins) {
      if (other === place) continue;
      const isSame = [address, ipv6Address].some(
        (one, at) => one !== "" && [join.address, join.ipv6Address][at] === one,
      );
      const isTaken = join.network === bridge.network && isSame;
      if (isTaken) throw new Breach(`${address} given to ${container} while ${join.container} has it`);
      if (join.container !== container && join.ports.some((port) => wanted.includes(port)))
        throw new Breach(`a port published twice`);
    }
    joins.set(place, { container, network: bridge.network, address, ipv6Address, ports: wanted });
    this.state.sandboxes.add(container);
  }

  /** A removal takes the files away during operations on them. */
  #unmounted(container: string): never {
    if (this.state.mountedOnce.has(container)) throw noSuch("file-system");
    throw new Breach("populate without a mount");
  }

  #unmountVolume(name: string): void {
    const user = [...this.state.processes.values()].find((one) => one.status === "running" && one.volumes.has(name));
    if (user) throw new Breach(`volume ${name} is unmounted, though ${user.container} uses it`);
  }

  #volume(command: volumes.VolumeCommand): Outcome {
    const { volumes: made, mounts } = this.state;
    if (command.tag === "measure") return { tag: "size", val: 0n };
    if (command.tag === "find") return { tag: "done" };
    if (command.tag === "make") made.add(command.val);
    else if (command.tag === "mount") made.add(command.val.name);
    else if (command.tag === "unmount") this.#unmountVolume(command.val);
    else if (command.tag === "drop") made.delete(command.val);
    else if (!made.has(command.val.name)) throw new Breach("populate of a volume that is not there");
    else if (!mounts.has(command.val.container)) this.#unmounted(command.val.container);
    return { tag: "done" };
  }
}

/** For commands that this world supports. */
function subjectOf(command: Exclude<processes.ProcessCommand, { tag: "launch" }>): processes.Subject {
  switch (command.tag) {
    case "signal":
    case "resize":
      return command.val.subject;
    case "ps":
    case "limit":
    case "rewrite":
      return command.val.subject;
    case "pause":
    case "resume":
    case "reap":
    case "sample":
      return command.val;
    default:
      throw new Failed({ tag: "internal", val: `this world knows no ${command.tag}` });
  }
}

function hostsOf(files: processes.ContainerFile[]): string {
  return new TextDecoder().decode(files.find(({ name }) => name === "hosts")?.content);
}

/** From `linux.resources`. */
function memoryOf(resources: { memory?: { limit?: number } } = {}): number {
  return resources.memory?.limit ?? 0;
}

function stateOf({ status, code }: Process): engine.ProcessState {
  if (status === "unstarted" || status === "lost") return { tag: status };
  if (status === "running") return { tag: "running", val: { pid: 100, at: 0n } };
  return { tag: "exited", val: { code, outOfMemory: false, lost: false, at: 0n } };
}

/** Protocol, family and number of each port of the machine that leads to a container. */
export function portsTaken(
  ports: readonly Pick<networks.PortMapping, "protocol" | "hostAddress" | "hostPort">[],
): string[] {
  const mapped = ports.filter(({ hostPort }) => hostPort > 0);
  return mapped.map(({ protocol, hostAddress, hostPort }) => {
    return `${protocol}${hostAddress.includes(":") ? 6 : 4} ${hostPort}`;
  });
}
