// Containers' processes of the simulated world: launched, signalled, frozen, reaped. They survive the engine, and the
// next engine finds them.

import { HostFailure, interrupted, noSuch, refusedByRuntime } from "../../shared/failure.js";
import type { Clock, engine, Input, Outcome, Perform, processes, Stdio } from "../../shared/host.js";
import type { FaultSource } from "../faults.js";
import type { Disk } from "../files/disk.js";
import { FileError } from "../files/file-system.js";
import type { MountedFiles } from "../files/mounted-files.js";
import type { Program } from "../program.js";
import { PROGRAMS } from "../programs/table.js";
import { EXEC_NS, EXEC_SPREAD_NS, EXIT_NS, LAUNCH_NS, LAUNCH_SPREAD_NS, SIGNAL_NS, STRIKE_NS } from "./durations.js";
import { Execs } from "./execs.js";
import { withRates } from "../../shared/device-rates.js";
import { addDevices, numberOf } from "./devices.js";
import { ContainerLog } from "./log.js";
import type { Seen } from "./kernel-files.js";
import type { Resources, Spec } from "./oci-spec.js";
import type { Kernel, MachineFacts } from "./kernel.js";
import type { ProcessTable } from "./pid-namespace.js";
import { MachinePids, ps } from "./ps.js";
import { Run } from "./run.js";
import { sampleOf } from "./sample.js";
import { SIGTERM } from "./signals.js";
import { filesOf, identityOf, makeDirectories, parseSpec, viewOf } from "./spec.js";
import { Stdins } from "./stdins.js";

/** The client streams that belong to processes. */
export type ProcessStdio = Pick<Stdio, "log" | "stdin" | "exec">;

export interface SimulatedProcesses {
  perform: Perform<processes.ProcessCommand>;
  stdio: ProcessStdio;
  /** Launches that are not reaped. A container that was created but never started stays. */
  inventory(): engine.FoundProcess[];
  /** Execs that are not reaped. */
  execs(): engine.FoundExec[];
  /** Sends `exited` inputs to this callback from now on. */
  listen(happened: (input: Input) => void): void;
  /** The container was removed: its log goes, and input that clients sent ahead of a launch. */
  forget(container: string): void;
  /** The machine restarts: all processes are gone. */
  reboot(): void;
  /** A fault was set that strikes running containers at once. */
  struck(kind: "out-of-memory" | "supervisor-lost"): void;
  /** The files that the processes of a run see; null once it is over. */
  filesOf(container: string, run: number): MountedFiles | null;
  /** Processes of running containers. */
  list(): { container: string; pid: number; parent: number; argv: readonly string[] }[];
}

export interface ProcessesNeeds {
  time: Clock;
  /** A number from 0 up to 1, from the world's seed. */
  random: () => number;
  faults: FaultSource;
  disk: Pick<Disk, "mountView" | "machine" | "putMade" | "makeMemory" | "dropMemory">;
  /** Programs by name of file, in addition to or instead of the built-in ones. */
  programs?: Readonly<Record<string, Program>>;
  /** Whether a runtime of that name exists. */
  hasRuntime: (name: string) => boolean;
  /** Name and facts of the machine. */
  machine: Pick<engine.Machine, "name" | "kernelVersion" | "kernelArchitecture" | "cpus" | "memory"> & { disk: number };
  /** Number of networks that a container is on. */
  networksOf?: (container: string) => number;
}

export function simulatedProcesses(needs: ProcessesNeeds): SimulatedProcesses {
  return new World(needs);
}

const FIRST_PID = 1000;
const PID_STEP = 40;

class World implements SimulatedProcesses {
  readonly stdio: ProcessStdio;
  readonly #needs: ProcessesNeeds;
  readonly #facts: MachineFacts;
  /** By container and run number. */
  readonly #runs = new Map<string, Run>();
  readonly #logs = new Map<string, ContainerLog>();
  readonly #stdins = new Stdins();
  readonly #execs: Execs;
  readonly #pids = new MachinePids(() => this.#nextPid());
  #lastPid = FIRST_PID;
  #happened: (input: Input) => void = () => {};

  constructor(needs: ProcessesNeeds) {
    this.#needs = needs;
    const { kernelVersion, kernelArchitecture, cpus, memory, disk } = needs.machine;
    this.#facts = { release: kernelVersion, architecture: kernelArchitecture, cpus, memory: Number(memory), disk };
    this.#execs = new Execs({
      running: (subject) => this.#running(subject),
      runOf: (container) => [...this.#runs.values()].find((run) => run.container === container && run.isRunning),
      after: (ns) => this.#after(ns),
      now: () => needs.time.now().wall,
      pidOf: (process) => this.#pids.of(process, 0), // an exec is never the first process
      startNs: () => EXEC_NS + BigInt(Math.floor(needs.random() * EXEC_SPREAD_NS)),
      happened: (input) => this.#happened(input),
    });
    this.stdio = {
      log: async (container) => this.#log(container).open(),
      stdin: (container, run) => {
        const name = nameOf({ container, run });
        return this.#stdins.client(name, this.#runs.get(name));
      },
      exec: async (exec) => this.#execs.stdio(exec),
    };
  }

  perform: Perform<processes.ProcessCommand> = async (_op, command) => {
    switch (command.tag) {
      case "launch":
        return this.#launch(command.val);
      case "signal":
        return this.#signal(command.val);
      case "pause":
        this.#namespace(command.val).freeze();
        return DONE;
      case "resume":
        this.#namespace(command.val).thaw();
        return DONE;
      case "resize": {
        const { subject, rows, columns } = command.val;
        this.#running(subject).resize(rows, columns);
        return DONE;
      }
      case "reap":
        return this.#reap(command.val);
      case "sample": {
        const run = this.#running(command.val);
        return { tag: "sample", val: sampleOf(this.#namespace(command.val), run.interfaces) };
      }
      case "limit":
        return this.#limit(command.val);
      case "ps":
        return this.#ps(command.val);
      case "count-own":
        // A simulated daemon has no open files. The work under way is what its containers run.
        return { tag: "own-process", val: { descriptors: 0, tasks: this.list().length } };
      case "exec":
        return { tag: "launched", val: await this.#execs.start(command.val) };
      case "signal-exec":
        await this.#execs.signal(command.val);
        return DONE;
      case "resize-exec":
        this.#execs.resize(command.val);
        return DONE;
      case "reap-exec":
        await this.#execs.reap(command.val);
        return DONE;
      case "identify":
        this.#execs.identify(command.val);
        return DONE;
      case "rewrite":
        return this.#rewrite(command.val);
    }
  };

  inventory(): engine.FoundProcess[] {
    return [...this.#runs.values()].map(({ container, number, state, memoryKills }) => ({
      ...{ container, run: number, state, memoryKills },
    }));
  }

  execs(): engine.FoundExec[] {
    return this.#execs.inventory();
  }

  listen(happened: (input: Input) => void): void {
    this.#happened = happened;
  }

  forget(container: string): void {
    this.#logs.delete(container);
    this.#stdins.forget(container);
  }

  reboot(): void {
    for (const { container, number } of [...this.#runs.values()]) this.#clear({ container, run: number });
  }

  filesOf(container: string, number: number): MountedFiles | null {
    const run = this.#runs.get(nameOf({ container, run: number }));
    return run?.isRunning ? run.files : null;
  }

  struck(kind: "out-of-memory" | "supervisor-lost"): void {
    for (const run of [...this.#runs.values()]) if (run.isRunning) this.#strike(kind, run);
  }

  list(): ReturnType<SimulatedProcesses["list"]> {
    return [...this.#runs.values()].flatMap(({ container, namespace }) =>
      [...(namespace?.processes.values() ?? [])].map(({ pid, parent, argv }) => ({
        ...{ container, pid, parent: parent?.pid ?? 0, argv },
      })),
    );
  }

  async #launch(launch: processes.Launch): Promise<Outcome> {
    if (!this.#needs.hasRuntime(launch.runtime)) {
      throw noSuch("oci-runtime", launch.runtime);
    }
    const run = new Run(launch.container, launch.run);
    const name = nameOf(launch);
    this.#runs.set(name, run);
    await this.#after(LAUNCH_NS + BigInt(Math.floor(this.#needs.random() * LAUNCH_SPREAD_NS)));
    if (run.isDropped) throw interrupted("given-up");
    const { container } = launch;
    const failing = this.#needs.faults.strike("runtime-fails", { container });
    if (failing) throw this.#failed(name, refusedByRuntime(failing.message, this.#specOf(launch).process ?? {}));
    try {
      const launched = this.#start(run, launch);
      void run.ended.then(() => this.#ended(run));
      this.#strikeNew(run);
      return { tag: "launched", val: launched };
    } catch (error) {
      throw this.#failed(name, error);
    }
  }

  #failed(name: string, error: unknown): unknown {
    this.#stdins.close(name);
    return error;
  }

  #start(run: Run, launch: processes.Launch): ReturnType<Run["start"]> {
    const { machine, disk } = this.#needs;
    const { container } = launch;
    const spec = this.#specOf(launch);
    const seen = this.#seen(run, spec);
    run.interfaces = seen.interfaces;
    const table = this.#joined(spec);
    if (launch.shmSize > 0n) disk.makeMemory(container, launch.shmSize);
    makeDirectories(launch.directories, disk.machine);
    for (const [name, bytes] of filesOf(spec, launch, (own) => this.#own(own))) disk.putMade(container, name, bytes);
    const view = viewOf(spec, launch, seen);
    const files = mounted(() => disk.mountView(container, view));
    addDevices(launch.devices, disk.machine, files);
    const identity = identityOf(launch, files);
    const kernel = this.#kernel(container, files);
    const stdin = this.#stdins.of(nameOf(launch));
    const log = this.#log(container);
    log.keep(launch.log);
    return run.start(
      {
        ...{ spec, launch, kernel, files, identity, pid: this.#nextPid(), machineName: machine.name, log, table },
        killed: () => this.#killed(run),
      },
      (target) => stdin.connect(target),
    );
  }

  /** The processes of the pid namespace that it joins; undefined for a namespace of its own. */
  #joined({ linux }: Spec): ProcessTable | undefined {
    const namespaces = linux?.namespaces ?? [];
    for (const { path = "" } of namespaces) {
      if (path.startsWith("ipc:")) this.#runOf(path.slice("ipc:".length));
    }
    const pid = namespaces.find(({ type }) => type === "pid");
    // The core knows that this machine has no other processes, and never shares its namespace.
    if (!pid) throw new HostFailure({ tag: "internal", val: "processes of the machine were asked for" });
    return pid.path?.startsWith("pid:") ? this.#runOf(pid.path.slice("pid:".length)).namespace?.table : undefined;
  }

  /** The running run of a container. */
  #runOf(container: string): Run {
    for (const run of this.#runs.values()) if (run.container === container && run.isRunning) return run;
    throw noSuch("run", container);
  }

  #nextPid(): number {
    this.#lastPid += 1 + Math.floor(this.#needs.random() * PID_STEP);
    return this.#lastPid;
  }

  #ps({ subject, arguments: words }: processes.Ps): Outcome {
    const { namespace, state } = this.#running(subject);
    if (!namespace || state.tag !== "running") throw noSuch("process");
    return ps(words, namespace.processes.values(), state.val.pid, this.#pids);
  }

  #specOf({ spec: bytes, rates }: processes.Launch): Spec {
    const spec = parseSpec(bytes);
    const { resources } = (spec.linux ??= {});
    const blockIO = withRates(resources?.blockIO, rates, (path) => numberOf(this.#needs.disk.machine, path));
    if (blockIO) spec.linux.resources = { ...resources, blockIO };
    return spec;
  }

  // The results of these two live as long as the processes, so they hold no more of the launch than needed.

  #seen(run: Run, spec: Spec): Seen {
    const { time } = this.#needs;
    const interfaces = this.#interfaces(run.container, spec);
    return { machine: this.#facts, interfaces, resources: () => run.resources, uptime: () => time.now().monotonic };
  }

  #kernel(container: string, files: MountedFiles): Kernel {
    return {
      time: this.#needs.time,
      random: this.#needs.random,
      machine: this.#facts,
      program: (name) => this.#needs.programs?.[name] ?? PROGRAMS.get(name),
      files: ({ uid, gid, groups }) => files.as({ uid, groups: [gid, ...groups] }),
      swallows: (signal) => signal === SIGTERM && this.#needs.faults.strike("ignore-sigterm", { container }) !== null,
    };
  }

  /** Without its own network namespace, a container has the machine's interfaces. */
  #interfaces(container: string, spec: Spec): string[] {
    const network = spec.linux?.namespaces?.find(({ type }) => type === "network");
    const [, joined] = /^network:(.+)$/.exec(network?.path ?? "") ?? [];
    if (joined !== undefined) return [...this.#runOf(joined).interfaces];
    if (network && network.path !== "network:") return [];
    const count = network ? (this.#needs.networksOf?.(container) ?? 1) : 1;
    return Array.from({ length: count }, (_, index) => `eth${index}`);
  }

  #strikeNew(run: Run): void {
    const { container, namespace } = run;
    const dying = this.#needs.faults.strike("die-at-once", { container });
    if (dying) return namespace?.first?.end(dying.code);
    void this.#after(STRIKE_NS).then(() => {
      for (const kind of ["out-of-memory", "supervisor-lost"] as const) if (run.isRunning) this.#strike(kind, run);
    });
  }

  #strike(kind: "out-of-memory" | "supervisor-lost", run: Run): void {
    if (!this.#needs.faults.strike(kind, { container: run.container })) return;
    if (kind === "out-of-memory") run.namespace?.kill(true);
    else run.lose();
  }

  /** Reports the end after the last byte of output, and keeps it for an inventory until it is reaped. */
  async #ended(run: Run): Promise<void> {
    const exit = await run.ended;
    this.#stdins.close(nameOf({ container: run.container, run: run.number }));
    await this.#after(EXIT_NS);
    if (run.isDropped) return;
    this.#happened({ tag: "exited", val: { container: run.container, run: run.number, exit } });
  }

  #killed({ container, number: run, memoryKills: kills, isDropped }: Run): void {
    if (!isDropped) this.#happened({ tag: "out-of-memory", val: { container, run, kills } });
  }

  async #signal({ subject, number }: processes.Signal): Promise<Outcome> {
    const first = this.#running(subject).namespace?.first;
    await this.#after(SIGNAL_NS);
    if (!first || first.isOver) throw noSuch("process");
    first.signal(number, true);
    return DONE;
  }

  #limit({ subject, resources, rates }: processes.Limit): Outcome {
    const given = JSON.parse(new TextDecoder().decode(resources)) as Resources;
    const blockIO = withRates(given.blockIO, rates, (path) => numberOf(this.#needs.disk.machine, path));
    this.#running(subject).limit({ ...given, blockIO: blockIO ?? {} });
    return DONE;
  }

  /** The change shows wherever the file is mounted. */
  #rewrite({ subject, file: { name, content } }: processes.Rewrite): Outcome {
    this.#needs.disk.putMade(this.#running(subject).container, name, content ?? this.#own(name));
    return DONE;
  }

  /** The machine's file of that name. */
  #own(name: string): Uint8Array {
    return this.#needs.disk.machine.read(`/etc/${name}`);
  }

  async #reap(subject: processes.Subject): Promise<Outcome> {
    this.#clear(subject);
    await this.#after(SIGNAL_NS);
    return DONE;
  }

  /** Removes whatever is left of the run. Nothing is reported. */
  #clear(subject: processes.Subject): void {
    const name = nameOf(subject);
    const run = this.#runs.get(name);
    this.#runs.delete(name);
    if (run) {
      run.isDropped = true;
      this.#execs.reapOf(run);
      run.namespace?.kill();
      this.#needs.disk.dropMemory(run.container);
    }
    this.#stdins.close(name);
    this.#logs.get(subject.container)?.clearRun();
  }

  #running(subject: processes.Subject): Run {
    const run = this.#runs.get(nameOf(subject));
    if (!run?.isRunning) throw noSuch("process");
    return run;
  }

  #namespace(subject: processes.Subject): NonNullable<Run["namespace"]> {
    const { namespace } = this.#running(subject);
    if (!namespace) throw noSuch("process");
    return namespace;
  }

  #log(container: string): ContainerLog {
    const log = this.#logs.get(container) ?? new ContainerLog(() => this.#needs.time.now().wall);
    this.#logs.set(container, log);
    return log;
  }

  #after(ns: bigint): Promise<void> {
    const { time } = this.#needs;
    return new Promise((resolve) => time.at(time.now().monotonic + ns, resolve));
  }
}

const DONE: Outcome = { tag: "done" };

function nameOf({ container, run }: processes.Subject): string {
  return `${container}.${run}`;
}

function mounted<T>(mount: () => T): T {
  try {
    return mount();
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const { code, path } = error;
    throw new HostFailure({ tag: "call", val: { call: "mount", path, inside: true, error: code } });
  }
}
