// The engine's end of the process that forwards published ports where no rules of the kernel do. It outlives the engine,
// so that these ports, too, are served while no engine runs. As long as there is no such process, the engine itself
// serves them: no container waits for a process to start, and none fails because it cannot. The process gets the
// engine's bound sockets when it starts, so the ports are never free in between.

import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { HostFailure } from "../../../hosts/shared/index.js";
import { bundled, FollowerProcess } from "../../followers/follower-process.js";
import type { Refused } from "../../followers/protocol.js";
import type { Kernel } from "../../kernel.js";
import type { Paths } from "../../paths.js";
import { ForwardFiles, type Forward } from "./forward-files.js";
import { ForwardService } from "./service.js";

/** MiB for as many connections as the process serves at once. */
const HEAP = 96;
/** Before a process that was lost, or could not start, is started again. Doubles each time. */
const PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;
/** A process that has lasted as long is not one that cannot run. */
const LASTING_MS = 60_000;
const NONE: readonly Refused[] = [];

export class Forwards {
  readonly #files: ForwardFiles;
  readonly #process: FollowerProcess;
  /** What the engine itself serves. */
  readonly #own: ForwardService;
  readonly #closing = new AbortController();
  /** The engine's own files are followed one after the other. */
  #turn: Promise<unknown> = Promise.resolve();
  /** Until a process has taken over what the engine serves. */
  #starting: Promise<void> | undefined;
  #telling: Promise<void> | undefined;
  /** What the engine serves, or has served, since the last time. */
  readonly #asked = new Set<string>();
  /** Whose sockets a starting process has. */
  #given: readonly string[] = [];
  #pauseMs = 0;
  #started = 0;

  /** `program`: the file that the process runs. */
  constructor(kernel: Kernel, paths: Paths, program = bundled("ports.cjs")) {
    this.#files = new ForwardFiles(paths.networks("ports"));
    this.#files.make();
    this.#own = new ForwardService(this.#files);
    const { directory } = this.#files;
    this.#process = new FollowerProcess(kernel, directory, { file: program, heap: HEAP }, () => {
      this.#replace();
    });
  }

  /** Forwards exactly these ports for `holder` from now on. Tells which of them cannot be had; the others are served. */
  async serve(holder: string, forwards: Forward[]): Promise<readonly Refused[]> {
    if (forwards.length === 0) this.#files.remove("forwards", holder);
    else if (!isDeepStrictEqual(this.#files.read("forwards", holder), { forwards }))
      this.#files.write("forwards", holder, { forwards });
    // A process that starts may have read the file, and has the sockets.
    if (this.#given.includes(holder)) await this.#starting;
    if (this.#starting === undefined) {
      const refused = await this.#told(holder);
      if (refused !== undefined) return refused;
    }
    return this.#serveHere(holder);
  }

  /** Forgets what a crash has left: ports of others than these. */
  async found(holders: readonly string[]): Promise<void> {
    const gone = this.#files.names("forwards").filter((name) => !holders.includes(name));
    for (const name of gone) await this.serve(name, []);
  }

  /** The process goes on if it is of use. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#starting;
    await this.#telling;
    await this.#process.close();
    await this.#turn;
    this.#own.close();
  }

  /** Undefined if there is no process. */
  async #told(holder: string): Promise<readonly Refused[] | undefined> {
    const { errno: error, refused = NONE } = await this.#process.tell("forwards", holder);
    if (error === "EPIPE") return undefined;
    const path = `${this.#files.directory}/forwards/${holder}.json`;
    if (error !== undefined) throw new HostFailure({ tag: "call", val: { call: "read", path, inside: false, error } });
    this.#own.cut(holder);
    return refused;
  }

  async #serveHere(holder: string): Promise<readonly Refused[]> {
    this.#asked.add(holder);
    const followed = this.#turn.then(async () => this.#own.follow("forwards", holder));
    this.#turn = followed.catch(() => {});
    const refused = await followed;
    if (!this.#own.isIdle) this.#starting ??= this.#handOver();
    return refused;
  }

  /** The process was lost. */
  #replace(): void {
    for (const name of this.#files.names("forwards")) this.#serveHere(name).catch(tell);
  }

  /** Lets a process serve what the engine serves. */
  async #handOver(): Promise<void> {
    const hasProcess = await this.#hasProcess();
    if (hasProcess) this.#own.handOver();
    this.#given = [];
    this.#starting = undefined;
    if (hasProcess) this.#telling = this.#tellAll();
  }

  /** False if none is needed any more, or the engine is closed and it does not start. */
  async #hasProcess(): Promise<boolean> {
    do {
      await this.#pause();
      await this.#turn;
      if (this.#own.isIdle) return false;
      if (await this.#begin()) return true;
    } while (!this.#closing.signal.aborted);
    return false;
  }

  /** Starts the process if there is none. */
  async #begin(): Promise<boolean> {
    try {
      if ((await this.#process.existing()) !== undefined) return true;
      this.#given = this.#own.holders;
      this.#started = performance.now();
      await this.#process.start(this.#own.sockets);
      return true;
    } catch (error) {
      this.#given = [];
      tell(error);
      return false;
    }
  }

  /** What was asked for while the process started, and what it could not have then. */
  async #tellAll(): Promise<void> {
    const names = new Set([...this.#asked, ...this.#files.names("forwards")]);
    this.#asked.clear();
    for (const name of names) {
      const refused = await this.#told(name).catch(tell);
      for (const { at, errno } of refused ?? NONE) tell(`port ${at} of ${name}: ${errno}`);
    }
  }

  async #pause(): Promise<void> {
    if (performance.now() - this.#started > LASTING_MS) this.#pauseMs = 0;
    const { signal } = this.#closing;
    await sleep(this.#pauseMs, undefined, { ref: false, signal }).catch(() => {});
    this.#pauseMs = Math.min(Math.max(PAUSE_MS, 2 * this.#pauseMs), LONGEST_PAUSE_MS);
  }
}

/** The engine serves meanwhile. */
function tell(error: unknown): undefined {
  console.error(`forwarded ports: ${error instanceof Error ? error.message : String(error)}`);
}
