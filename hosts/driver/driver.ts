// Drives the core. It feeds the core one input at a time, releases a step's outputs once they are durable, and opens a
// new instance when one is lost. It is the only such loop, and all hosts share it.

import { Alarms } from "./alarms.js";
import type { Ended } from "./effects.js";
import type { Bodies, Host, Input, Replies, ReplyOrCut, RequestId, engine } from "../shared/index.js";
import { Idle } from "./idle.js";
import { Inbox, isEnd } from "./inbox.js";
import { Instance } from "./instance.js";
import type { CompiledCore } from "./instance.js";
import type { Fork, Life, Lent } from "./life.js";
import type { Observer } from "./observer.js";
import { OpenRequests, endedBy } from "../request/index.js";
import { Setbacks } from "./instance-retry.js";
import { TrapLimit } from "./trap-limit.js";
import { Succession } from "./succession.js";

export { CutOff } from "./succession.js";

export interface DriverOptions {
  /** The core's options. The driver numbers its instances itself. */
  engine: Omit<engine.Options, "epoch">;
  /** An instance was lost, and why. A new one is being opened. `incident`: its name in answers, if the core trapped. */
  lost: (error: unknown, incident: string | null) => void;
  /** No instance can be kept: three traps within a minute, or commands that do not end. The process should end. */
  fatal: (error: unknown) => void;
  /** Called for every step before any of its outputs leave. */
  observer?: Observer;
  /** Called for every output that has left: a durable transaction, a started effect, a sent reply. */
  left?: () => void;
  /** The last epoch of the previous driver, if this one takes over its host: operation ids must not repeat. */
  epoch?: number;
}

/** The parts of a driver. */
export type DriverParts = [core: CompiledCore, host: Host, replies: Replies, bodies: Bodies, options: DriverOptions];

export class Driver {
  /**
   * Resolves when the core has repaired what it found and that is durable. It also resolves if that cannot be made
   * durable: then requests are refused until it can. Rejects if the core traps repeatedly, and with `CutOff` if `cut`
   * was called before.
   */
  readonly opened: Promise<void>;
  readonly #host: Host;
  readonly #replies: Replies;
  #options: DriverOptions;
  readonly #core: CompiledCore;
  readonly #requests = new OpenRequests();
  readonly #inbox: Inbox;
  readonly #setbacks: Setbacks;
  readonly #idle: Idle;
  readonly #instances: Succession;
  readonly #ends = new Set<(input: Ended) => void>();
  #pumping = false;
  #lastRequest: bigint;

  /** Starts a driver, and resolves or rejects as `opened` does. */
  static async open(...parts: DriverParts): Promise<Driver> {
    const driver = Driver.begin(...parts);
    await driver.opened;
    return driver;
  }

  /** Starts a driver and returns it while it opens, so that it can be cut off during that. */
  static begin(...parts: DriverParts): Driver {
    return new Driver(parts);
  }

  /**
   * A driver that continues from a fork, on a host of its own. Throws `Trap`. If it loses an instance later, it opens
   * another one as usual, unless `lost` closes it.
   */
  static resume(...[core, host, replies, bodies, options, fork]: [...DriverParts, fork: Fork]): Driver {
    return new Driver([core, host, replies, bodies, options], fork);
  }

  private constructor([core, host, replies, bodies, options]: DriverParts, fork?: Fork) {
    const epoch = fork?.epoch ?? options.epoch ?? 0;
    this.#core = core;
    this.#host = host;
    this.#options = options;
    const alarms = new Alarms(host.timers);
    this.#setbacks = new Setbacks(host.timers, alarms);
    this.#idle = new Idle(
      host.timers,
      alarms,
      () => this.#attempt((life) => life.idle()),
      () => this.#attempt((life) => life.collectIdle()) ?? false,
    );
    // Commands of an earlier driver may still use its request ids.
    this.#lastRequest = fork?.lastRequest ?? BigInt(epoch) << 32n;
    this.#replies = { perform: (request, command) => this.#reply(replies, request, command) };
    this.#inbox = new Inbox(this.#replies);
    this.#instances = this.#succession(epoch, alarms);
    host.listen((input) => this.#happened(input), bodies);
    if (fork !== undefined) this.#instances.resume(fork);
    this.opened = fork === undefined ? this.#instances.begin() : Promise.resolve();
    this.opened.catch(() => {});
  }

  /** Number of the newest instance. */
  get epoch(): number {
    return this.#instances.epoch;
  }

  /** The containers' state machine, from the core's own table. */
  rules(): engine.Rule[] {
    return this.#instances.life?.rules() ?? new Instance(this.#core).rules();
  }

  /**
   * The current instance, for another driver to continue from; null while there is none. Must not be called from within
   * a step. It costs a garbage collection and a copy of the instance's memory. Throws `Trap`: then the instance is
   * lost.
   */
  fork(): Fork | null {
    if (this.#pumping) return null;
    try {
      return this.#instances.life?.fork(this.#lastRequest) ?? null;
    } catch (error) {
      this.#instances.trapped(error);
      throw error;
    }
  }

  /** Bytes that the instance has allocated, modulo 2^32; 0 while there is none. */
  get allocatedBytes(): number {
    return this.#instances.life?.allocatedBytes ?? 0;
  }

  /**
   * Collects the instance's garbage and fills free memory with zeros, so that pages can be given back to the system.
   * The returned function gets the memory; call it again after each step. Null while there is no instance, and within a
   * step.
   */
  collectAndWipe(): (() => Uint8Array) | null {
    if (this.#pumping) return null;
    try {
      return this.#instances.life?.collectAndWipe() ?? null;
    } catch (error) {
      this.#instances.trapped(error);
      return null;
    }
  }

  /** Also reports the ends of processes and execs to `told`. Returns a function that stops this. */
  onEnd(told: (input: Ended) => void): () => void {
    this.#ends.add(told);
    return () => this.#ends.delete(told);
  }

  /** An id for the next `request` input. The caller can prepare for replies before the first one arrives. */
  nextRequest(): RequestId {
    return ++this.#lastRequest;
  }

  /**
   * Delivers an input. Steps at once, unless a step is running or there is no instance: then the input waits. A request
   * is refused if no instance comes soon. Replies of this step may be performed before this returns.
   */
  deliver(input: Input): void {
    if (this.#instances.isClosed && !(this.#instances.isEnding && input.tag !== "request")) return;
    if (input.tag === "source-failed") this.#requests.forget(input.val.request);
    this.#inbox.put(input);
    if (!this.#pumping) this.#pump();
  }

  /** The configuration was read again. The new settings apply to this instance and to those after it. */
  reload(settings: engine.Settings): void {
    this.#options = { ...this.#options, engine: { ...this.#options.engine, ...settings } };
    this.deliver({ tag: "reloaded", val: settings });
  }

  /**
   * Accepts no more requests. Current work comes to its end; what may take long is aborted, and requests that can then
   * be answered are answered. After that the core is told that all other clients are gone, and it undoes what it would
   * not finish. Resolves when all steps have left and nothing that changes anything is running, or 10 s after `since`,
   * the monotonic time at which the end was requested.
   */
  async close(since = this.#host.timers.now().monotonic): Promise<void> {
    this.#idle.callOff();
    await this.#instances.close(since, () => this.#hangUp());
  }

  /**
   * Ends the driver at once, as if its process were killed. No more outputs leave, not even the rest of a step whose
   * outputs are leaving. Commands already given to the host continue, and so does the host. The next driver on it must
   * get this one's `epoch`.
   */
  cut(): void {
    if (this.#instances.isCutOff) return;
    this.#inbox.clear();
    this.#instances.cut();
  }

  #succession(epoch: number, alarms: Alarms): Succession {
    return new Succession(epoch, {
      lent: this.#lend(),
      inbox: this.#inbox,
      alarms,
      setbacks: this.#setbacks,
      traps: new TrapLimit(this.#host.timers),
      options: () => this.#options.engine,
      ready: () => {
        if (!this.#pumping) this.#pump();
      },
      lost: (error, incident) => this.#options.lost(error, incident),
      fatal: (error) => this.#options.fatal(error),
    });
  }

  #lend(): Lent {
    return {
      core: this.#core,
      host: this.#host,
      replies: this.#replies,
      requests: this.#requests,
      observer: this.#options.observer,
      deliver: (input) => this.deliver(input),
      left: this.#options.left ?? (() => {}),
      kept: () => this.#setbacks.kept(),
      failed: (error) => this.#instances.lose(error),
    };
  }

  #reply(replies: Replies, request: RequestId, command: ReplyOrCut): void {
    if (this.#instances.isCutOff) return;
    replies.perform(request, command);
    this.#options.left?.();
  }

  #happened(input: Input): void {
    if (isEnd(input)) for (const told of this.#ends) told(input);
    const { life } = this.#instances;
    if ((isEnd(input) || input.tag === "out-of-memory") && life !== null) life.became(input);
    else this.deliver(input);
  }

  #pump(): void {
    this.#pumping = true;
    this.#inbox.empty((input) => {
      const { life } = this.#instances;
      if (life !== null) this.#take(life, input);
      return life !== null;
    });
    this.#pumping = false;
  }

  #take(life: Life, input: Input): void {
    if (input.tag === "request") this.#requests.begin(input.val.id);
    // Its client still waits, but its stream is gone.
    if (input.tag === "source-failed")
      this.#requests.begin(input.val.request, input.val.begun === undefined ? "waiting" : "answering");
    if (input.tag === "closed") this.#requests.forget(input.val.request);
    const now = this.#host.timers.now();
    try {
      life.step(now, input);
    } catch (error) {
      return this.#instances.trapped(error);
    }
    if (this.#instances.isCutOff) return;
    if (isEnd(input)) this.#requests.endOrphans(this.#replies, endedBy(input));
    this.#idle.happened(now.monotonic);
  }

  /** No more answers: the mounts made for requests must be given back. */
  #hangUp(): void {
    for (const request of this.#requests.all) this.deliver({ tag: "closed", val: { request, why: "client" } });
  }

  /** Nothing has happened for a moment. */
  #attempt<Result>(what: (life: Life) => Result): Result | undefined {
    const { life } = this.#instances;
    try {
      return life === null ? undefined : what(life);
    } catch (error) {
      this.#instances.trapped(error);
      return undefined;
    }
  }
}
