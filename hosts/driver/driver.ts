// Drives the core: feeds it one input at a time, lets out what it asked for once it is durable, and opens a new
// instance when one is lost. The only loop of its kind, shared by all hosts.

import { Alarms } from "./alarms.js";
import type { Ended } from "./effects.js";
import type { Bodies, Host, Input, Replies, ReplyOrCut, RequestId, engine } from "../shared/host.js";
import { Idle } from "./idle.js";
import { Inbox, isEnd } from "./inbox.js";
import { Instance } from "./instance.js";
import type { CompiledCore } from "./instance.js";
import type { Fork, Life, Lent } from "./life.js";
import type { Observer } from "./observer.js";
import { OpenRequests, endedBy } from "../request/index.js";
import { Setbacks } from "./instance-retry.js";
import { Succession } from "./succession.js";

export { CutOff } from "./succession.js";

export interface DriverOptions {
  /** The core's options; the driver numbers its instances itself. */
  engine: Omit<engine.Options, "epoch">;
  /** An instance was lost, and why. A new one is being opened. `incident`: what answers call it, if the core trapped. */
  lost: (error: unknown, incident: string | null) => void;
  /** No instance can be kept: three traps within a minute, or commands that do not end. The process should end. */
  fatal: (error: unknown) => void;
  /** Told of every step before anything of it leaves. */
  observer?: Observer;
  /** Called when one more output has left: a transaction was kept, an effect was started, a reply was sent. */
  left?: () => void;
  /** The last epoch of the driver that was here before, if this one takes over its host: operation ids must not recur. */
  epoch?: number;
}

/** What a driver is made of. */
export type DriverParts = [core: CompiledCore, host: Host, replies: Replies, bodies: Bodies, options: DriverOptions];

export class Driver {
  /**
   * Resolves when the core has mended what it found and that is durable; or when that cannot be kept: then requests are
   * refused until it can. Rejects when the core traps in it time and again, and with `CutOff` when `cut` was called before.
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

  /** Begins, and resolves or rejects as `opened` does. */
  static async open(...parts: DriverParts): Promise<Driver> {
    const driver = Driver.begin(...parts);
    await driver.opened;
    return driver;
  }

  /** A driver that is being opened: it can be cut off before it has. */
  static begin(...parts: DriverParts): Driver {
    return new Driver(parts);
  }

  /**
   * One that goes on from a fork, on a host of its own. Throws `Trap`. An instance that it loses later is opened again
   * like any other's, unless `lost` closes it.
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
    this.#idle = new Idle(host.timers, alarms, () => this.#rested());
    // Commands of an earlier driver may still name its requests.
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
   * The instance as it is now, for another to go on from; null while there is none. Not to be called from within a step.
   * It costs a collection and a copy of the instance's memory. Throws `Trap`: then the instance is lost.
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
   * Collects the instance's garbage and fills what is free with zeros, so that pages of its memory can be handed back to
   * the system. Returns the memory, to be asked for again after each step; null while there is none, and from within one.
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

  /** Has what ends by itself told to others, too: processes and execs. Returns what calls it off. */
  onEnd(told: (input: Ended) => void): () => void {
    this.#ends.add(told);
    return () => this.#ends.delete(told);
  }

  /** An id for the next `request` input: whoever delivers it can be ready for replies before the first one comes. */
  nextRequest(): RequestId {
    return ++this.#lastRequest;
  }

  /**
   * Something happened. Steps at once, unless a step is running or no instance is there: then the input waits, or, if it
   * is a request and no instance comes soon, is refused. Replies of this step may be performed before this returns.
   */
  deliver(input: Input): void {
    if (this.#instances.isClosed && !(this.#instances.isEnding && input.tag !== "request")) return;
    if (input.tag === "source-failed") this.#requests.forget(input.val.request);
    this.#inbox.put(input);
    if (!this.#pumping) this.#pump();
  }

  /** The configuration was read again: what it says now holds for this instance and for those after it. */
  reload(settings: engine.Settings): void {
    this.#options = { ...this.#options, engine: { ...this.#options.engine, ...settings } };
    this.deliver({ tag: "reloaded", val: settings });
  }

  /**
   * Takes no more requests. What is under way comes to its end, what may last is given up, and who then can be answered
   * is; to the core all others are gone, and it undoes what it then would not end. Resolves when all steps have left and
   * nothing goes on that changes anything, or 10 s after `since`, the monotonic time at which the end was asked for.
   */
  async close(since = this.#host.timers.now().monotonic): Promise<void> {
    this.#idle.callOff();
    await this.#instances.close(since, () => this.#hangUp());
  }

  /**
   * Ends the driver at once, as if its process were killed: nothing leaves any more, not even what is left of the step
   * whose outputs are leaving. What the host was asked for goes on, and so does the host; the next driver on it must be
   * given this one's `epoch`.
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
    // It has a client who waits, and no stream any more.
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

  /** Nobody is answered any more: what requests have had mounted is to be given back. */
  #hangUp(): void {
    for (const request of this.#requests.all) this.deliver({ tag: "closed", val: { request, why: "client" } });
  }

  /** Nothing has happened for a moment. */
  #rested(): void {
    try {
      this.#instances.life?.idle();
    } catch (error) {
      this.#instances.trapped(error);
    }
  }
}
