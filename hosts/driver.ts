// Drives the core: feeds it one input at a time, lets out what it asked for once it is durable, and opens a new
// instance when one is lost. The only loop of its kind, shared by all hosts.

import { bytesToHex } from "@noble/hashes/utils.js";
import { Alarms } from "./alarms.js";
import type { Ended } from "./effects.js";
import type { Bodies, Host, Input, Replies, RequestId, engine, replies } from "./host.js";
import { Instance, Trap } from "./instance.js";
import type { CompiledCore } from "./instance.js";
import { Idle } from "./idle.js";
import { Life, NotKept, RecordsRefused } from "./life.js";
import type { Fork, Lent } from "./life.js";
import type { Observer } from "./observer.js";
import { OpenRequests, endedBy, endedIn, refuse } from "./requests.js";
import { Setbacks } from "./setbacks.js";

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

/** The driver was ended by `cut` before it had opened. */
export class CutOff extends Error {}

/** How long commands in flight are waited for before the next instance: one that goes on beside it would undo its work. */
const LONGEST_REST_NS = 60_000_000_000n;
const INCIDENT_BYTES = 6;
/** How long closing waits: what is in flight then ends with the process. */
const LONGEST_CLOSE_NS = 10_000_000_000n;

export class Driver {
  /**
   * Resolves when the core has mended what it found and that is durable; or when that cannot be kept: then requests are
   * refused until it can. Rejects when the core traps in it time and again, and with `CutOff` when `cut` was called before.
   */
  readonly opened: Promise<void>;
  readonly #host: Host;
  readonly #replies: Replies;
  #options: DriverOptions;
  readonly #lent: Lent;
  readonly #requests = new OpenRequests();
  readonly #alarms: Alarms;
  readonly #setbacks: Setbacks;
  readonly #idle: Idle;
  readonly #ends = new Set<(input: Ended) => void>();
  /** Instances whose outputs may still leave. */
  readonly #lives = new Set<Life>();
  #life: Life | null = null;
  #inputs: Input[] = [];
  #pumping = false;
  #closed = false;
  #cutOff = false;
  readonly #cutting: Promise<void>;
  #endAll: () => void = () => {};
  #epoch: number;
  #lastRequest: bigint;
  #reopening: Promise<void> | null = null;
  /** What is wrong with the machine (a full disk, as a rule): requests are not kept waiting for that to change. */
  #refusing: string | null = null;

  /** Begins, and resolves or rejects as `opened` does. */
  static async open(
    core: CompiledCore,
    host: Host,
    replies: Replies,
    bodies: Bodies,
    options: DriverOptions,
  ): Promise<Driver> {
    const driver = Driver.begin(core, host, replies, bodies, options);
    await driver.opened;
    return driver;
  }

  /** A driver that is being opened: it can be cut off before it has. */
  static begin(core: CompiledCore, host: Host, replies: Replies, bodies: Bodies, options: DriverOptions): Driver {
    return new Driver(core, host, replies, bodies, options);
  }

  /**
   * One that goes on from a fork, on a host of its own. Throws `Trap`. An instance that it loses later is opened again
   * like any other's, unless `lost` closes it.
   */
  static resume(
    core: CompiledCore,
    host: Host,
    replies: Replies,
    bodies: Bodies,
    options: DriverOptions,
    fork: Fork,
  ): Driver {
    return new Driver(core, host, replies, bodies, options, fork);
  }

  private constructor(
    core: CompiledCore,
    host: Host,
    replies: Replies,
    bodies: Bodies,
    options: DriverOptions,
    fork?: Fork,
  ) {
    this.#host = host;
    this.#options = options;
    this.#alarms = new Alarms(host.timers);
    this.#setbacks = new Setbacks(host.timers, this.#alarms);
    this.#idle = new Idle(host.timers, this.#alarms, () => this.#rested());
    this.#epoch = fork?.epoch ?? options.epoch ?? 0;
    // Commands of an earlier driver may still name its requests.
    this.#lastRequest = fork?.lastRequest ?? BigInt(this.#epoch) << 32n;
    this.#cutting = new Promise((resolve) => (this.#endAll = resolve));
    this.#replies = { perform: (request, command) => this.#reply(replies, request, command) };
    this.#lent = this.#lend(core);
    host.listen((input) => this.#happened(input), bodies);
    if (fork !== undefined) this.#resume(fork);
    this.opened = fork === undefined ? this.#orCutOff(this.#begin()) : Promise.resolve();
    this.opened.catch(() => {});
  }

  /** Number of the newest instance. */
  get epoch(): number {
    return this.#epoch;
  }

  /** The containers' state machine, from the core's own table. */
  rules(): engine.Rule[] {
    return this.#life?.rules() ?? new Instance(this.#lent.core).rules();
  }

  /**
   * The instance as it is now, for another to go on from; null while there is none. Not to be called from within a step.
   * It costs a collection and a copy of the instance's memory. Throws `Trap`: then the instance is lost.
   */
  fork(): Fork | null {
    if (this.#life === null || this.#pumping) return null;
    try {
      return this.#life.fork(this.#lastRequest);
    } catch (error) {
      this.#trapped(error);
      throw error;
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
   * Something happened. Steps at once, unless a step is running or no instance is there: then the input waits.
   * Replies of this step may be performed before this returns.
   */
  deliver(input: Input): void {
    if (this.#closed) return;
    if (this.#refusing !== null && input.tag === "request") return refuse(this.#replies, input.val.id, this.#refusing);
    this.#inputs.push(input);
    if (!this.#pumping) this.#pump();
  }

  /** The configuration was read again: what it says now holds for this instance and for those after it. */
  reload(settings: engine.Settings): void {
    this.#options = { ...this.#options, engine: { ...this.#options.engine, ...settings } };
    this.deliver({ tag: "reloaded", val: settings });
  }

  /** Takes no more inputs; resolves when all that was asked for has left and no command is in flight, or in 10 s. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#idle.callOff();
    this.#setbacks.endPause();
    await Promise.race([this.#alarms.within(LONGEST_CLOSE_NS, this.#rest()), this.#cutting]);
  }

  /**
   * Ends the driver at once, as if its process were killed: nothing leaves any more, not even what is left of the step
   * whose outputs are leaving. What the host was asked for goes on, and so does the host; the next driver on it must be
   * given this one's `epoch`.
   */
  cut(): void {
    if (this.#cutOff) return;
    this.#cutOff = this.#closed = true;
    this.#life = null;
    this.#inputs = [];
    this.#alarms.callOff();
    for (const life of this.#lives) life.cut(new CutOff("the engine was cut off"));
    this.#lives.clear();
    this.#endAll();
  }

  async #rest(): Promise<void> {
    // An instance that is being opened would go on keeping records.
    await this.opened.catch(() => {});
    await this.#reopening;
    const life = this.#life;
    this.#life = null;
    await life?.settled();
    await life?.discard();
  }

  #lend(core: CompiledCore): Lent {
    return {
      core,
      host: this.#host,
      replies: this.#replies,
      requests: this.#requests,
      observer: this.#options.observer,
      deliver: (input) => this.deliver(input),
      left: this.#options.left ?? (() => {}),
      kept: () => this.#setbacks.kept(),
      failed: (error) => this.#discard(error),
    };
  }

  #reply(replies: Replies, request: RequestId, command: replies.ReplyCommand): void {
    if (this.#cutOff) return;
    replies.perform(request, command);
    this.#options.left?.();
  }

  #happened(input: Input): void {
    if (isEnd(input)) for (const told of this.#ends) told(input);
    if (isEnd(input) && this.#life !== null) this.#life.ended(input);
    else this.deliver(input);
  }

  #pump(): void {
    this.#pumping = true;
    let next = 0;
    for (; this.#life !== null && next < this.#inputs.length; next++) this.#take(this.#life, this.#inputs[next]!);
    this.#inputs = this.#inputs.slice(next);
    this.#pumping = false;
  }

  #take(life: Life, input: Input): void {
    if (input.tag === "request") this.#requests.begin(input.val.id);
    if (input.tag === "closed") this.#requests.forget(input.val.request);
    const now = this.#host.timers.now();
    try {
      life.step(now, input);
    } catch (error) {
      return this.#trapped(error);
    }
    if (this.#cutOff) return;
    if (isEnd(input)) this.#requests.endOrphans(this.#replies, endedBy(input));
    this.#idle.happened(now.monotonic);
  }

  /** Nothing has happened for a moment. */
  #rested(): void {
    try {
      this.#life?.idle();
    } catch (error) {
      this.#trapped(error);
    }
  }

  #trapped(error: unknown): void {
    this.#setbacks.trapped();
    this.#discard(error);
  }

  #discard(error: unknown): void {
    const life = this.#life;
    if (life === null) return;
    this.#life = null;
    life.lost(error);
    this.#reopening = this.#reopen(life, error);
  }

  /** Steps before the lost one still leave; then whoever waits is told; then a new instance takes over. */
  async #reopen(life: Life, error: unknown): Promise<void> {
    const incident = this.#lost(error);
    await life.settled();
    if (this.#cutOff) return;
    const named = incident === null ? "" : ` (incident ${incident})`;
    this.#requests.abandon(this.#replies, `the engine had to start afresh: ${messageOf(error)}${named}`);
    if (!(await this.#alarms.within(LONGEST_REST_NS, life.discard()))) {
      if (!this.#closed) this.#options.fatal(new Error(`commands do not end: ${life.inFlight.join(", ")}`));
      return;
    }
    this.#lives.delete(life);
    this.#inputs = this.#inputs.filter(outlivesInstance);
    await this.#retry(error);
  }

  /** Opens instances until one lives. Only traps are counted: a disk may be full for hours. */
  async #retry(error: unknown): Promise<void> {
    while (!this.#closed) {
      if (!(error instanceof Trap)) await this.#pause(error);
      if (this.#closed) return;
      if (this.#setbacks.tooManyTraps) return this.#options.fatal(error);
      try {
        return await this.#open();
      } catch (thrown) {
        if (this.#cutOff) return;
        if (thrown instanceof RecordsRefused) return this.#options.fatal(thrown);
        error = thrown;
        if (thrown instanceof Trap) this.#setbacks.trapped();
        this.#lost(error);
      }
    }
  }

  /** Refuses requests for a while. */
  async #pause(error: unknown): Promise<void> {
    const why = (this.#refusing = `the engine cannot go on for now: ${messageOf(error)}`);
    const waiting = this.#inputs;
    this.#inputs = waiting.filter((input) => input.tag !== "request");
    for (const input of waiting) if (input.tag === "request") refuse(this.#replies, input.val.id, why);
    await this.#setbacks.pause();
  }

  /** Tells of it. Returns what it is called by: whoever is answered because of it can name it. */
  #lost(error: unknown): string | null {
    const incident = error instanceof Trap ? bytesToHex(this.#host.seed().subarray(0, INCIDENT_BYTES)) : null;
    this.#options.lost(error, incident);
    return incident;
  }

  async #begin(): Promise<void> {
    try {
      await this.#open();
    } catch (error) {
      if (this.#cutOff || !(error instanceof NotKept || error instanceof Trap)) throw error;
      if (error instanceof Trap) this.#setbacks.trapped();
      this.#lost(error);
      if (this.#setbacks.tooManyTraps) throw error;
      if (error instanceof Trap) return this.#begin();
      this.#reopening = this.#retry(error);
    }
  }

  async #open(): Promise<void> {
    const store = this.#host.records;
    const [records, journal] = [await store.load(), await store.journal.end()];
    const life = new Life(++this.#epoch, this.#lent);
    // The inventory is not taken before: it clears away what a crash has left.
    life.check(records);
    const inventory = await this.#host.inventory();
    if (this.#cutOff) return;
    this.#lives.add(life);
    const options = { ...this.#options.engine, epoch: life.epoch };
    try {
      await life.open(this.#host.timers.now(), { options, seed: this.#host.seed(), records, journal, inventory });
    } catch (error) {
      this.#lives.delete(life);
      life.lost(error);
      throw error;
    }
    this.#refusing = null;
    this.#requests.endOrphans(this.#replies, endedIn(inventory));
    if (this.#cutOff) return;
    this.#life = life;
    this.#reopening = null;
    if (!this.#pumping) this.#pump();
  }

  #resume(fork: Fork): void {
    const life = new Life(fork.epoch, this.#lent);
    life.resume(fork);
    this.#lives.add(life);
    this.#life = life;
  }

  async #orCutOff(begun: Promise<void>): Promise<void> {
    await Promise.race([begun, this.#cutting]);
    if (this.#cutOff) throw new CutOff("the engine was cut off while it was opened");
  }
}

/** What was not taken in before the instance was lost and still matters: the inventory tells all the rest. */
function outlivesInstance(input: Input): boolean {
  return input.tag === "request" || input.tag === "closed" || input.tag === "reloaded" || isEnd(input);
}

function isEnd(input: Input): input is Ended {
  return input.tag === "exited" || input.tag === "exec-exited";
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
