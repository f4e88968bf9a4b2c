// Containers' processes: launches them under a supervisor, signals, freezes and reaps them, and finds them again after
// a restart.

import { mkdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { noSuch } from "../hosts/shared/index.js";
import type { Input, Operation, Outcome, Perform, Stdio, engine, processes, types } from "../hosts/shared/index.js";
import { Cgroups } from "./cgroups/cgroups.js";
import { identityOf } from "./launch/bundle.js";
import { adoptFiles, rewriteFile } from "./launch/container-files.js";
import { renewLog, resizeTerminal } from "./launch/supervisor-control.js";
import { Execs } from "./exec/execs.js";
import { ExitWatch } from "./ends/exits.js";
import { type Hybrid, isHybrid, openHybrid } from "./launch/hybrid.js";
import { takeInventory } from "./ends/inventory.js";
import type { Kernel } from "./kernel.js";
import { libc } from "./kernel/libc.js";
import { killRun } from "./ends/kill-run.js";
import { launch, logNote } from "./launch/launch.js";
import type { Surroundings } from "./launch/surroundings.js";
import { freezeRun, limitRun, sampleRun, signalRun, thawRun } from "./ends/living.js";
import { MemoryKills } from "./cgroups/memory-kills.js";
import { killNaming } from "./ends/processes-of-run.js";
import { ownProcess } from "./own-process.js";
import type { Paths } from "./paths.js";
import { ps } from "./ps.js";
import { reap } from "./ends/reap.js";
import { Run, type LogNote } from "./ends/run.js";
import { findProgram } from "./launch/find-program.js";
import type { Runtime } from "./launch/runtimes.js";
import { Sampler } from "./sample/sample.js";
import { Logs } from "./stdio/log.js";
import type { StdinClient } from "./stdio/stdin.js";
import { Stdins } from "./stdio/stdins.js";
import { UNTOLD, type Swept } from "./swept.js";
import { UnderWay } from "./under-way.js";

/** The streams of clients that processes provide. */
export type ProcessStdio = Pick<Stdio, "log" | "stdin" | "exec">;

export interface LinuxProcesses {
  perform: Perform<processes.ProcessCommand>;
  /** Aborts a launch, or the start of an exec, that does not finish. Kills what it has made. */
  abandon(op: Operation): void;
  stdio: ProcessStdio;
  /** Launches of earlier instances. Those that are still running are watched from now on. */
  inventory(): Promise<engine.FoundProcess[]>;
  /** Execs of earlier instances in the runs that `inventory` has found. Call `inventory` first. */
  execs(runs: readonly engine.FoundProcess[]): Promise<engine.FoundExec[]>;
  /** Sets the callback for `exited`. */
  listen(happened: (input: Input) => void): void;
  /** The container will not be launched again: drops input that clients have sent for a later launch. */
  forget(container: string): void;
  /** The runtimes that work on this machine, the best first. */
  runtimes: Runtime[];
  /** Replaces the runtimes for later launches. */
  offer(runtimes: Runtime[]): void;
  /** Those of the given runtimes that work on this machine. */
  usable(runtimes: Runtime[]): Runtime[];
  /** Stops watching; containers live on. */
  close(): Promise<void>;
}

export interface Dependencies {
  paths: Paths;
  /** The result of `detectRuntimes`. */
  runtimes: Runtime[];
  kernel?: Kernel;
  /** A runtime that has not made a container in this time is killed; by default `CREATE_LIMIT_MS`. */
  createLimitMs?: number;
  swept?: Swept;
  /** Resolves when all other files that a run mounts are on disk. */
  ready?: (launch: processes.Launch, signal: AbortSignal) => Promise<void>;
}

/**
 * Call this before anything is mounted below the exec root. It does not keep a program alive that only waits for
 * containers: containers do not need it.
 */
export function linuxProcesses(dependencies: Dependencies): LinuxProcesses {
  return new Processes(dependencies);
}

/** The host's own limit (`core/wit/processes.wit`). A runtime takes a fraction of a second, and hooks may take longer. */
const CREATE_LIMIT_MS = 60_000;

/** The exit code of a killed process if nobody is left to report it: 128 + SIGKILL. */
const LOST_CODE = 137;

class Processes implements LinuxProcesses {
  runtimes: Runtime[];
  readonly stdio: ProcessStdio;
  readonly #at: Surroundings;
  readonly #hybrid: Hybrid | undefined;
  readonly #exits: ExitWatch;
  readonly #execs: Execs;
  readonly #memoryKills: MemoryKills;
  readonly #logs: Logs;
  readonly #sampler: Sampler;
  readonly #swept: Swept;
  readonly #underWay = new UnderWay();
  readonly #ready: NonNullable<Dependencies["ready"]>;
  readonly #stdins: Stdins;
  /** Runs whose end is awaited, and the promise of the end. */
  readonly #running = new Map<string, { ended: Promise<void> }>();
  #happened: (input: Input) => void = () => {};

  constructor({
    paths,
    runtimes,
    kernel = libc,
    createLimitMs = CREATE_LIMIT_MS,
    swept = UNTOLD,
    ready,
  }: Dependencies) {
    this.#swept = swept;
    this.#ready = ready ?? (async () => {});
    for (const directory of [paths.live(), paths.exits(), paths.runtime("")])
      mkdirSync(directory, { recursive: true, mode: 0o711 });
    this.#hybrid = openHybrid(kernel, paths, runtimes);
    this.runtimes = this.usable(runtimes);
    this.#exits = new ExitWatch(paths.exits());
    this.#sampler = new Sampler(paths);
    this.#at = {
      paths,
      kernel,
      cgroups: new Cgroups(kernel, paths),
      conmon: findProgram("conmon") ?? "conmon",
      createLimitMs,
      born: ({ kind }, spawn, sight) => (this.#hybrid && kind === "crun" ? this.#hybrid.hide(spawn, sight) : spawn()),
    };
    this.#memoryKills = new MemoryKills(this.#at.cgroups);
    this.#execs = new Execs(this.#at, (input) => this.#happened(input));
    this.#stdins = new Stdins(kernel);
    this.#logs = new Logs((container) => paths.log(container));
    this.stdio = {
      log: async (container) => this.#logs.open(container),
      stdin: (container, number) => this.#stdin(new Run(paths, container, number)),
      exec: async (exec) => this.#execs.stdio(exec),
    };
  }

  perform: Perform<processes.ProcessCommand> = async (op, command) => {
    switch (command.tag) {
      case "launch":
        return this.#underWay.run(op, (signal) => this.#launch(command.val, signal));
      case "signal":
        signalRun(this.#run(command.val.subject), command.val.number, this.#at);
        return DONE;
      case "pause":
        await freezeRun(this.#run(command.val), this.#at);
        return DONE;
      case "resume":
        await thawRun(this.#run(command.val), this.#at);
        return DONE;
      case "resize":
        await resizeTerminal(this.#run(command.val.subject), command.val.rows, command.val.columns, this.#at.kernel);
        return DONE;
      case "reap":
        return this.#reap(this.#run(command.val));
      case "sample":
        return { tag: "sample", val: sampleRun(this.#run(command.val), this.#sampler) };
      case "limit":
        await limitRun(this.#run(command.val.subject), command.val, this.#at);
        return DONE;
      case "ps":
        return ps(command.val.arguments, this.#at.cgroups.pids(command.val.subject.container));
      case "count-own":
        return { tag: "own-process", val: ownProcess() };
      case "exec":
        return this.#underWay.run(op, (signal) => this.#exec(command.val, signal));
      case "signal-exec":
        this.#execs.signal(command.val);
        return DONE;
      case "resize-exec":
        this.#execs.resize(command.val);
        return DONE;
      case "reap-exec":
        await this.#execs.reap(command.val);
        return DONE;
      case "identify":
        this.#identify(command.val);
        return DONE;
      case "rewrite":
        return this.#rewrite(command.val);
    }
  };

  abandon(op: Operation): void {
    this.#underWay.abandon(op);
  }

  inventory(): Promise<engine.FoundProcess[]> {
    return takeInventory(this.#at, this.#swept, ({ run, supervisor }) => {
      if (this.#running.has(run.name)) return; // already watched: the core is new, not the host
      const ended = new Promise<void>((resolve) => this.#exits.adopt(run, supervisor, resolve));
      this.#running.set(run.name, { ended });
      adoptFiles(this.#at.paths, run);
      this.#keepLog(run, run.note()?.log);
      this.#watch(run, ended);
    });
  }

  execs(runs: readonly engine.FoundProcess[]): Promise<engine.FoundExec[]> {
    return this.#execs.inventory(runs.map((found) => this.#run(found)));
  }

  listen(happened: (input: Input) => void): void {
    this.#happened = happened;
  }

  forget(container: string): void {
    this.#stdins.forget(container);
  }

  async close(): Promise<void> {
    this.#exits.close();
    this.#memoryKills.close();
    this.#execs.close();
    this.#running.clear();
    this.#stdins.closeAll();
    this.#hybrid?.close();
    this.#at.cgroups.close();
  }

  offer(runtimes: Runtime[]): void {
    this.runtimes = this.usable(runtimes);
  }

  usable(runtimes: Runtime[]): Runtime[] {
    return isHybrid() && !this.#hybrid ? runtimes.filter(({ kind }) => kind !== "crun") : runtimes;
  }

  async #launch(command: processes.Launch, signal: AbortSignal): Promise<Outcome> {
    const runtime = this.runtimes.find(({ name }) => name === command.runtime);
    if (!runtime) throw noSuch("oci-runtime", command.runtime);
    const run = this.#run(command);
    const connect = () => {
      this.#keepLog(run, logNote(command.log));
      this.#stdins.connect(run, command);
    };
    try {
      await this.#ready(command, signal);
      const { launched, supervisor } = await launch(command, run, runtime, this.#at, connect, signal);
      this.#running.set(run.name, supervisor);
      this.#stdins.connect(run, command); // input from clients that arrived during the launch
      // Even for the shortest run, the end is reported after the start.
      setImmediate(() => this.#watch(run, supervisor.ended));
      return { tag: "launched", val: launched };
    } catch (error) {
      if (signal.aborted) killNaming(run, this.#at);
      this.#stdins.close(run);
      throw error;
    }
  }

  async #exec(command: processes.Exec, signal: AbortSignal): Promise<Outcome> {
    signal.addEventListener("abort", () => void this.#execs.reap(command.exec).catch(() => {}));
    return { tag: "launched", val: await this.#execs.start(command) };
  }

  #watch(run: Run, ended: Promise<void>): void {
    if (!this.#running.has(run.name)) return; // it was reaped at once
    const { container, number } = run;
    this.#memoryKills.watch(run, (kills) =>
      this.#happened({ tag: "out-of-memory", val: { container, run: number, kills } }),
    );
    void ended.then(() => this.#ended(run));
  }

  async #ended(run: Run): Promise<void> {
    // Unless it is being reaped, or nobody is there to be told.
    if (!this.#running.delete(run.name)) return;
    this.#stdins.close(run);
    const exit = (await exitOf(run)) ?? (await this.#lost(run));
    this.#memoryKills.ended(run);
    if (this.#endsLog(run)) this.#logs.ended(run.container, exit.at);
    this.#happened({ tag: "exited", val: { container: run.container, run: run.number, exit } });
  }

  /** The supervisor was killed. Its processes are killed too, since nobody would notice their end. */
  async #lost(run: Run): Promise<types.Exit> {
    // If something does not end, reaping the run meets it again and reports it.
    await killRun(run, this.#at).catch(() => {});
    return { code: LOST_CODE, outOfMemory: false, lost: true, at: now() };
  }

  #rewrite({ subject, file }: processes.Rewrite): Outcome {
    const run = this.#run(subject);
    if (!this.#running.has(run.name)) throw noSuch("process");
    rewriteFile(this.#at.paths.containerFile(run.container, file.name), file);
    return DONE;
  }

  async #reap(run: Run): Promise<Outcome> {
    const ended = this.#running.get(run.name)?.ended;
    this.#running.delete(run.name);
    this.#memoryKills.forget(run);
    await this.#execs.reapOf(run);
    const passes = run.note()?.log?.passing ?? false;
    const exit = await exitOf(run);
    await reap(run, ended, this.#at);
    this.#exits.forget(run);
    this.#stdins.close(run);
    if (run.isLast()) this.#endLog(run.container, exit?.at ?? now(), passes);
    return DONE;
  }

  #identify({ container, user }: processes.Identify): void {
    identityOf({ user, groups: [] }, this.#at.paths.rootfs(container), this.#at.kernel);
  }

  /**
   * If the check fails, for example for lack of descriptors, the end is still reported; reaping the run checks again.
   */
  #endsLog(run: Run): boolean {
    try {
      return run.isLast();
    } catch {
      return false;
    }
  }

  #endLog(container: string, at: bigint, passes: boolean): void {
    this.#logs.ended(container, at);
    if (passes) this.#logs.clear(container);
  }

  /** `log` is missing for a run that was launched before logs had limits. */
  #keepLog(run: Run, log: LogNote | undefined): void {
    const unbounded = { fileBytes: 0, files: 1, compressed: false, passing: false };
    this.#logs.keep(run.container, { ...(log ?? unbounded), renew: () => renewLog(run, this.#at.kernel) });
  }

  #stdin(run: Run): StdinClient {
    return this.#stdins.client(run, () => (this.#running.has(run.name) ? run.note() : undefined));
  }

  #run({ container, run }: processes.Subject): Run {
    return new Run(this.#at.paths, container, run);
  }
}

/** Nanoseconds since 1970. */
function now(): bigint {
  return BigInt(Date.now()) * 1_000_000n;
}

/** If there is no descriptor to spare, tries again until it can read the exit code. */
async function exitOf(run: Run): Promise<types.Exit | undefined> {
  for (;;) {
    try {
      return run.exit();
    } catch {
      await sleep(READ_AGAIN_MS, undefined, { ref: false });
    }
  }
}

const READ_AGAIN_MS = 100;
const DONE: Outcome = { tag: "done" };
