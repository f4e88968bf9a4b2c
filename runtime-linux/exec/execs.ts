// Execs in containers: started, signalled, resized, cleared away, and found again after a restart.

import { setTimeout as sleep } from "node:timers/promises";
import type { engine, ExecStdio, Input, processes, types } from "../../hosts/shared/host.js";
import { noSuch } from "../../hosts/shared/failure.js";
import { resolveProcess, type Spec } from "../launch/bundle.js";
import { availableOf } from "../capabilities.js";
import { namesIn } from "../directories.js";
import type { Surroundings } from "../launch/surroundings.js";
import { findNaming, isExecSupervisor, type Naming } from "../launch/naming.js";
import { isAlive, isLiving, Run } from "../ends/run.js";
import { ownTurn } from "../launch/turns.js";
import { LiveExec, type ExecEnd } from "./exec.js";
import { execsOf, ExecPlace, LOST_CODE } from "./place.js";

const SIGKILL = 9;
/** Those that another instance started are no children of ours: nothing tells of their end. */
const POLL_MS = 1000;
/** What an OCI runtime needs to make a process, on a busy machine; and how often it is looked whether it has. */
const MADE_MS = 2000;
const MADE_LOOK_MS = 10;

export class Execs {
  readonly #at: Surroundings;
  readonly #happened: (input: Input) => void;
  readonly #live = new Map<string, LiveExec>();
  /** Of an earlier engine, until they are reaped. */
  readonly #adopted = new Map<string, ExecPlace>();
  /** Those of them that go on. */
  readonly #watched = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(at: Surroundings, happened: (input: Input) => void) {
    this.#at = at;
    this.#happened = happened;
  }

  /** Asked for in the step that starts it. */
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
    // Whoever is to be bound to it is so after this turn.
    await ownTurn();
    const resolve = () => this.#resolved(command);
    const { launched, ended } = await exec.start(note.runtime, resolve).catch((error: unknown) => {
      // Whatever the OCI runtime makes of a container that is killed under its hands.
      const isLeft = !exec.isDropped && isLiving(first);
      throw isLeft ? error : noSuch("run", subject.container);
    });
    // Whatever fails of its end, somebody waits for that.
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

  /** With its run, which is about to be killed and cleared away. */
  async reapOf(run: Run): Promise<void> {
    for (const [id, { place }] of [...this.#live]) if (place.run.name === run.name) await this.reap(id);
    for (const [id, place] of [...this.#adopted]) if (place.run.name === run.name) await this.reap(id);
  }

  /** What is found in these runs. Those of an earlier engine that go on are watched from now on. */
  async inventory(runs: readonly Run[]): Promise<engine.FoundExec[]> {
    const places = runs.flatMap((run) => namesIn(execsOf(run)).map((exec) => new ExecPlace(run, exec)));
    await this.#made(places.filter((place) => !this.#live.has(place.exec)));
    return places.map((place) => this.#examine(place));
  }

  /** Lets go of everything; they live on. */
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
   * Those whose engine was killed while they were being made, or before that was written down: the OCI runtime goes on
   * with them. One look at all processes a round does for all of them.
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
   * Somebody is at work on it, and has not made it yet. What is made is written down: its supervisor, if it has one, is
   * watched with it, so that what has ended meanwhile is told with the code that is still to come.
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

  /** What stands on disk stays until it is reaped: should this engine be killed first, the next one tells of the end. */
  #look(): void {
    for (const exec of [...this.#watched]) {
      const exit = this.#exitOf(exec);
      if (exit === null) continue;
      this.#watched.delete(exec);
      if (exit === undefined) continue; // cleared away with its run
      this.#happened({ tag: "exec-exited", val: { exec, exit, output: new Uint8Array(0), truncated: false } });
    }
    if (this.#watched.size === 0) this.close();
  }

  /** Null while it goes on, or cannot be read: without a descriptor to spare it is looked at again. */
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
    const process = JSON.parse(Buffer.from(command.process).toString()) as NonNullable<Spec["process"]>;
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

/** Of which nothing is known but that it is over. */
function lostEnd(): ExecEnd {
  const exit = { code: LOST_CODE, outOfMemory: false, lost: true, at: BigInt(Date.now()) * 1_000_000n };
  return { exit, output: new Uint8Array(0), truncated: false };
}

/** Supervisor and OCI runtime, as far as they are there. */
function workingOn(place: ExecPlace, naming: ReadonlyMap<string, Naming[]>): Naming[] {
  return (naming.get(place.run.name) ?? []).filter(({ line }) => line.includes(place.spec));
}
