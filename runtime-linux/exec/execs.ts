// Execs in containers: starts, signals, resizes and cleans them up, and finds them again after a restart.

import { setTimeout as sleep } from "node:timers/promises";
import { noSuch } from "../../hosts/shared/index.js";
import type { ExecStdio, Input, engine, processes, types } from "../../hosts/shared/index.js";
import { resolveProcess, type Spec } from "../launch/bundle.js";
import { parseLimited } from "../launch/spec-text.js";
import { availableOf } from "../capabilities.js";
import { namesIn } from "../directories.js";
import type { Surroundings } from "../launch/surroundings.js";
import { findNaming, isExecSupervisor, type Naming } from "../ends/processes-of-run.js";
import { isAlive, isLiving, Run } from "../ends/run.js";
import { ownTurn } from "../launch/turns.js";
import { LiveExec, type ExecEnd } from "./exec.js";
import { execsOf, ExecPlace, LOST_CODE } from "./place.js";

const SIGKILL = 9;
/**
 * How often to look for ends of execs that another instance started. They are not our children, so the kernel does not
 * report them.
 */
const POLL_MS = 1000;
/** How long an OCI runtime may take to make a process on a busy machine, and how often to look. */
const MADE_MS = 2000;
const MADE_LOOK_MS = 10;

export class Execs {
  readonly #at: Surroundings;
  readonly #happened: (input: Input) => void;
  readonly #live = new Map<string, LiveExec>();
  /** Execs of an earlier engine, until they are reaped. */
  readonly #adopted = new Map<string, ExecPlace>();
  /** Those of them that are still running. */
  readonly #watched = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(at: Surroundings, happened: (input: Input) => void) {
    this.#at = at;
    this.#happened = happened;
  }

  /** Called in the step that starts the exec. */
  stdio(exec: string): ExecStdio {
    const found = this.#live.get(exec);
    if (!found) throw noSuch("exec", exec);
    return found.stdio();
  }

  async start(command: processes.Exec): Promise<types.Launched> {
    const { exec: id, subject } = command;
    const run = new Run(this.#at.paths, subject.container, subject.run);
    const note = run.note();
    const first = run.process();
    if (!note || !first || !isLiving(first)) throw noSuch("run", subject.container);
    this.#at.cgroups.expectMove();
    const exec = new LiveExec(command, new ExecPlace(run, id), this.#at);
    this.#live.set(id, exec);
    // Clients that will be bound to its streams are bound after this turn of the event loop.
    await ownTurn();
    const resolve = () => this.#resolved(command);
    const { launched, ended } = await exec.start(note.runtime, resolve).catch((error: unknown) => {
      // The container may be killed at any moment, whatever the OCI runtime then reports.
      const isLeft = !exec.isDropped && isLiving(first);
      throw isLeft ? error : noSuch("run", subject.container);
    });
    // The exec must end for its waiting clients, even if reading its end fails.
    void ended.catch(lostEnd).then((end) => this.#ended(id, exec, end));
    return launched;
  }

  signal({ exec, number }: processes.ExecSignal): void {
    const process = (this.#live.get(exec)?.place ?? this.#adopted.get(exec))?.started();
    if (!process || !isAlive(process)) throw noSuch("process");
    this.#kill(process.pid, number);
  }

  resize({ exec, rows, columns }: processes.ExecResize): void {
    const found = this.#live.get(exec);
    if (!found) throw noSuch("process");
    found.resize(rows, columns);
  }

  async reap(exec: string): Promise<void> {
    const live = this.#live.get(exec);
    const dropped = live?.drop();
    const adopted = this.#adopted.get(exec);
    const process = adopted?.started();
    if (process && isAlive(process)) this.#kill(process.pid, SIGKILL);
    this.#live.delete(exec);
    this.#adopted.delete(exec);
    this.#watched.delete(exec);
    await dropped;
    await (live?.place ?? adopted)?.remove();
  }

  /** Cleans up the execs of a run that is about to be killed and cleaned up itself. */
  async reapOf(run: Run): Promise<void> {
    for (const [id, { place }] of [...this.#live]) if (place.run.name === run.name) await this.reap(id);
    for (const [id, place] of [...this.#adopted]) if (place.run.name === run.name) await this.reap(id);
  }

  /** The execs found in these runs. Those of an earlier engine that are still running are watched from now on. */
  async inventory(runs: readonly Run[]): Promise<engine.FoundExec[]> {
    const places = runs.flatMap((run) => namesIn(execsOf(run)).map((exec) => new ExecPlace(run, exec)));
    await this.#made(places.filter((place) => !this.#live.has(place.exec)));
    return places.map((place) => this.#examine(place));
  }

  /** Stops watching; the execs live on. */
  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #examine(place: ExecPlace): engine.FoundExec {
    const { exec, run } = place;
    const running = this.#live.get(exec)?.isRunning ?? place.isAlive;
    if (!this.#live.has(exec)) {
      this.#adopted.set(exec, place);
      if (running) this.#watch(exec);
    }
    const exit = running ? undefined : place.exit();
    return { exec, subject: { container: run.container, run: run.number }, running, ...(exit && { exit }) };
  }

  /**
   * Waits for execs whose engine was killed while they were being made, or before that was written down. The OCI
   * runtime continues with them. One look at all processes serves all of them.
   */
  async #made(places: readonly ExecPlace[]): Promise<void> {
    let unknown = places.filter((place) => place.started() === undefined && place.exitCode() === undefined);
    const limit = Date.now() + MADE_MS;
    while (unknown.length > 0) {
      const naming = findNaming();
      unknown = unknown.filter((place) => this.#isAwaited(place, workingOn(place, naming)));
      if (Date.now() >= limit) return;
      if (unknown.length > 0) await sleep(MADE_LOOK_MS);
    }
  }

  /**
   * True while programs are at work on the exec and have not made its process yet. Once it is made, it is written down.
   * If it has a supervisor, that is watched too, so that an exec that has ended is reported with the code still to
   * come.
   */
  #isAwaited(place: ExecPlace, atWork: readonly Naming[]): boolean {
    const pid = place.pid();
    if (pid === undefined) return atWork.length > 0;
    const supervisor = atWork.find((one) => isExecSupervisor(one, this.#at.conmon))?.pid;
    if (this.#at.cgroups.pids(place.run.container).has(pid)) place.writeStarted(pid, supervisor);
    else place.writeEnded(pid, supervisor);
    return false;
  }

  #watch(exec: string): void {
    this.#watched.add(exec);
    this.#timer ??= setInterval(() => this.#look(), POLL_MS).unref();
  }

  /** The files stay until the exec is reaped. If this engine is killed first, the next one reports the end. */
  #look(): void {
    for (const exec of [...this.#watched]) {
      const exit = this.#exitOf(exec);
      if (exit === null) continue;
      this.#watched.delete(exec);
      if (exit === undefined) continue; // cleaned up with its run
      this.#happened({ tag: "exec-exited", val: { exec, exit, output: new Uint8Array(0), truncated: false } });
    }
    if (this.#watched.size === 0) this.close();
  }

  /** Null while the exec runs, or if there is no descriptor to spare to read its end: the next look tries again. */
  #exitOf(exec: string): types.Exit | undefined | null {
    const place = this.#adopted.get(exec);
    try {
      return place?.isAlive === true ? null : place?.exit();
    } catch {
      return null;
    }
  }

  #ended(exec: string, live: LiveExec, end: ExecEnd): void {
    if (!live.isDropped) this.#happened({ tag: "exec-exited", val: { exec, ...end } });
  }

  #resolved(command: processes.Exec): NonNullable<Spec["process"]> {
    const process = parseLimited<NonNullable<Spec["process"]>>(command.process, ({ rlimits }) => rlimits);
    const { capabilities = {} } = process;
    for (const [set, names] of Object.entries(capabilities)) Object.assign(capabilities, { [set]: availableOf(names) });
    resolveProcess(process, command, this.#at.paths.rootfs(command.subject.container), this.#at.kernel);
    return process;
  }

  #kill(pid: number, signal: number): void {
    try {
      this.#at.kernel.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

/** For an exec of which we only know that it is over. */
function lostEnd(): ExecEnd {
  const exit = { code: LOST_CODE, outOfMemory: false, lost: true, at: BigInt(Date.now()) * 1_000_000n };
  return { exit, output: new Uint8Array(0), truncated: false };
}

/** The exec's supervisor and OCI runtime, if they are there. */
function workingOn(place: ExecPlace, naming: ReadonlyMap<string, Naming[]>): Naming[] {
  return (naming.get(place.run.name) ?? []).filter(({ line }) => line.includes(place.spec));
}
