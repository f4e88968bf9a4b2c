// Containers' processes of the simulated world: launched, signalled, frozen, reaped. They survive the engine, and the
// next engine finds them.

import { interrupted, noSuch, refusedByRuntime, withRates } from "../../shared/index.js";
import type { Input, Outcome, Perform, Stdio, content, engine, processes } from "../../shared/index.js";
import { keptLog } from "../../streams/index.js";
import type { MountedFiles } from "../files/mounted-files.js";
import { numberOf } from "./devices.js";
import { EXEC_NS, EXEC_SPREAD_NS, EXIT_NS, LAUNCH_NS, LAUNCH_SPREAD_NS, SIGNAL_NS } from "./durations.js";
import { Execs } from "./execs.js";
import { Launches } from "./launches.js";
import { ContainerLog } from "./log.js";
import type { ProcessesNeeds } from "./needs.js";
import type { Resources } from "./oci-spec.js";
import { MachinePids, ps } from "./ps.js";
import { Run } from "./run.js";
import { sampleOf } from "./sample.js";
import { Stdins } from "./stdins.js";
import { Strikes, type RunFault } from "./strikes.js";

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
  /** Copies the log of a container. Resolves to the size of the copy. */
  keepLog(kept: content.KeptLog): Promise<number>;
  /** For the inventory: containers that are nothing but such a copy. */
  keptLogs(): string[];
  /** The machine restarts: all processes are gone. */
  reboot(): void;
  /** A fault was set that strikes running containers at once. */
  struck(kind: RunFault): void;
  /** The files that the processes of a run see; null once it is over. */
  filesOf(container: string, run: number): MountedFiles | null;
  /** Processes of running containers. */
  list(): { container: string; pid: number; parent: number; argv: readonly string[] }[];
}

export function simulatedProcesses(needs: ProcessesNeeds): SimulatedProcesses {
  return new World(needs);
}

const FIRST_PID = 1000;
const PID_STEP = 40;

class World implements SimulatedProcesses {
  readonly stdio: ProcessStdio;
  readonly #needs: ProcessesNeeds;
  readonly #launches: Launches;
  readonly #strikes: Strikes;
  /** By container and run number. */
  readonly #runs = new Map<string, Run>();
  readonly #logs = new Map<string, ContainerLog>();
  /** Whose logs are copies of others'. */
  readonly #keptLogs = new Set<string>();
  readonly #stdins = new Stdins();
  readonly #execs: Execs;
  readonly #pids = new MachinePids(() => this.#nextPid());
  #lastPid = FIRST_PID;
  #happened: (input: Input) => void = () => {};

  constructor(needs: ProcessesNeeds) {
    this.#needs = needs;
    this.#strikes = new Strikes(needs.faults, (ns) => this.#after(ns));
    this.#launches = new Launches(needs, {
      of: (container) => this.#runOf(container),
      nextPid: () => this.#nextPid(),
      log: (container) => this.#log(container),
      stdin: (launch) => this.#stdins.of(nameOf(launch)),
      killed: (run) => this.#killed(run),
    });
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
        return { tag: "sample", val: sampleOf(this.#namespace(command.val), run.network) };
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
    this.#keptLogs.delete(container);
    this.#stdins.forget(container);
  }

  async keepLog({ container, copy }: content.KeptLog): Promise<number> {
    const bytes = await keptLog(this.#log(container).open(), copy);
    if (bytes.length === 0) return 0;
    this.#logs.set(
      copy.container,
      ContainerLog.of(bytes, () => this.#needs.time.now().wall),
    );
    this.#keptLogs.add(copy.container);
    return bytes.length;
  }

  keptLogs(): string[] {
    return [...this.#keptLogs];
  }

  reboot(): void {
    for (const { container, number } of [...this.#runs.values()]) this.#clear({ container, run: number });
  }

  filesOf(container: string, number: number): MountedFiles | null {
    const run = this.#runs.get(nameOf({ container, run: number }));
    return run?.isRunning ? run.files : null;
  }

  struck(kind: RunFault): void {
    for (const run of [...this.#runs.values()]) if (run.isRunning) this.#strikes.strike(kind, run);
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
    if (failing)
      throw this.#failed(name, refusedByRuntime(failing.message, this.#launches.specOf(launch).process ?? {}));
    try {
      const launched = this.#launches.start(run, launch);
      void run.ended.then(() => this.#ended(run));
      this.#strikes.strikeNew(run);
      return { tag: "launched", val: launched };
    } catch (error) {
      throw this.#failed(name, error);
    }
  }

  #failed(name: string, error: unknown): unknown {
    this.#stdins.close(name);
    return error;
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
    this.#needs.disk.putMade(this.#running(subject).container, name, content ?? this.#launches.own(name));
    return DONE;
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
