// Drives the core: feeds it one input at a time, lets out what it asked for once it is durable, and opens a new
// instance when one is lost. The only loop of its kind, shared by all hosts.

import { Effects } from "./effects.js";
import type { Bodies, Host, Input, Replies, RequestId, engine, records } from "./host.js";
import { Instance, Trap } from "./instance.js";
import type { CompiledCore } from "./instance.js";
import { Outbox } from "./outbox.js";
import type { StepOutputs } from "./outbox.js";
import { OpenRequests, refuse, runs } from "./requests.js";

export interface DriverOptions {
  /** The core's options; the driver numbers its instances itself. */
  engine: Omit<engine.Options, "epoch">;
  /** An instance was lost, and why. A new one is being opened. */
  lost: (error: unknown) => void;
  /** No instance can be kept: three traps within a minute, or commands that do not end. The process should end. */
  fatal: (error: unknown) => void;
}

const TRAPS = 3;
const TRAP_WINDOW_NS = 60_000_000_000n;
const IDLE_NS = 200_000_000n;
/** How long commands in flight are waited for before the next instance: one that goes on beside it would undo its work. */
const LONGEST_REST_NS = 60_000_000_000n;
/** How long closing waits: what is in flight then ends with the process. */
const LONGEST_CLOSE_NS = 10_000_000_000n;
/** After the machine has let it down, before the next instance: doubled each time until some can be kept again. */
const FIRST_PAUSE_NS = 200_000_000n;
const LONGEST_PAUSE_NS = 5_000_000_000n;

/** What one instance of the core works with. Discarded with it. */
interface Life {
  instance: Instance;
  outbox: Outbox;
  effects: Effects;
}

export class Driver {
  readonly #core: CompiledCore;
  readonly #host: Host;
  readonly #replies: Replies;
  readonly #options: DriverOptions;
  readonly #requests = new OpenRequests();
  readonly #traps: bigint[] = [];
  #life: Life | null = null;
  #inputs: Input[] = [];
  #pumping = false;
  #closed = false;
  #epoch = 0;
  #lastRequest = 0n;
  #lastStep = 0n;
  #idleTimer: (() => void) | null = null;
  #reopening: Promise<void> | null = null;
  /** What is wrong with the machine (a full disk, as a rule): requests are not kept waiting for that to change. */
  #refusing: string | null = null;
  #pauseNs = FIRST_PAUSE_NS;
  #endPause: (() => void) | null = null;

  /**
   * Resolves when the core has mended what it found and that is durable; or when that cannot be kept: then requests are
   * refused until it can. Rejects when the core cannot be opened.
   */
  static async open(
    core: CompiledCore,
    host: Host,
    replies: Replies,
    bodies: Bodies,
    options: DriverOptions,
  ): Promise<Driver> {
    const driver = new Driver(core, host, replies, options);
    host.listen((input) => driver.#happened(input), bodies);
    try {
      await driver.#open();
    } catch (error) {
      if (!(error instanceof NotKept)) throw error;
      options.lost(error);
      driver.#reopening = driver.#retry(error);
    }
    return driver;
  }

  private constructor(core: CompiledCore, host: Host, replies: Replies, options: DriverOptions) {
    this.#core = core;
    this.#host = host;
    this.#replies = replies;
    this.#options = options;
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

  /** Takes no more inputs; resolves when all that was asked for has left and no command is in flight, or in 10 s. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#idleTimer?.();
    this.#endPause?.();
    await this.#within(LONGEST_CLOSE_NS, this.#rest());
  }

  async #rest(): Promise<void> {
    await this.#reopening;
    const life = this.#life;
    this.#life = null;
    await life?.outbox.settled().catch(() => {});
    await life?.effects.discard();
  }

  #happened(input: Input): void {
    if (input.tag === "exited" && this.#life !== null) this.#life.effects.exited(input.val);
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
      life.outbox.push(life.instance.step(now, input));
      if (life.instance.mustCollect) life.instance.collect();
    } catch (error) {
      this.#trapped(error, now.monotonic);
      return;
    }
    if (input.tag === "exited") this.#endOrphans((container) => container === input.val.container);
    this.#lastStep = now.monotonic;
    this.#idleTimer ??= this.#host.timers.at(now.monotonic + IDLE_NS, () => this.#idle());
  }

  #release(life: Life, step: StepOutputs): void {
    for (const effect of step.effects) life.effects.start(effect);
    for (const { request, command } of step.replies) {
      this.#requests.sent(request, command);
      this.#replies.perform(request, command);
    }
  }

  /** Collects once nothing has happened for a while. */
  #idle(): void {
    this.#idleTimer = null;
    const now = this.#host.timers.now().monotonic;
    const due = this.#lastStep + IDLE_NS;
    if (now < due) {
      this.#idleTimer = this.#host.timers.at(due, () => this.#idle());
      return;
    }
    if (!this.#life?.instance.garbage) return;
    try {
      this.#life.instance.collect();
    } catch (error) {
      this.#trapped(error, now);
    }
  }

  #trapped(error: unknown, at: bigint): void {
    this.#traps.push(at);
    this.#discard(error);
  }

  #discard(error: unknown): void {
    const life = this.#life;
    if (life === null) return;
    this.#life = null;
    this.#reopening = this.#reopen(life, error);
  }

  /** Steps before the lost one still leave; then whoever waits is told; then a new instance takes over. */
  async #reopen(life: Life, error: unknown): Promise<void> {
    this.#options.lost(error);
    await life.outbox.settled().catch(() => {});
    this.#requests.abandon(this.#replies, `the engine had to start afresh: ${messageOf(error)}`);
    if (!(await this.#within(LONGEST_REST_NS, life.effects.discard()))) {
      if (!this.#closed) this.#options.fatal(new Error(`commands do not end: ${life.effects.inFlight.join(", ")}`));
      return;
    }
    this.#inputs = this.#inputs.filter(outlivesInstance);
    await this.#retry(error);
  }

  /** Opens instances until one lives. Only traps are counted: a disk may be full for hours. */
  async #retry(error: unknown): Promise<void> {
    while (!this.#closed) {
      if (!(error instanceof Trap)) await this.#pause(error);
      if (this.#closed) return;
      if (this.#tooManyTraps()) return this.#options.fatal(error);
      try {
        return await this.#open();
      } catch (thrown) {
        error = thrown;
        if (thrown instanceof Trap) this.#traps.push(this.#host.timers.now().monotonic);
        this.#options.lost(error);
      }
    }
  }

  /** Refuses requests for a while. */
  async #pause(error: unknown): Promise<void> {
    const why = (this.#refusing = `the engine cannot go on for now: ${messageOf(error)}`);
    const waiting = this.#inputs;
    this.#inputs = waiting.filter((input) => input.tag !== "request");
    for (const input of waiting) if (input.tag === "request") refuse(this.#replies, input.val.id, why);
    const until = this.#host.timers.now().monotonic + this.#pauseNs;
    this.#pauseNs = this.#pauseNs * 2n < LONGEST_PAUSE_NS ? this.#pauseNs * 2n : LONGEST_PAUSE_NS;
    await new Promise<void>((resolve) => {
      const callOff = this.#host.timers.at(until, resolve);
      this.#endPause = () => {
        callOff();
        resolve();
      };
    });
    this.#endPause = null;
  }

  async #open(): Promise<void> {
    const [records, inventory] = [await this.#host.records.load(), await this.#host.inventory()];
    const life = this.#newLife();
    const options = { ...this.#options.engine, epoch: ++this.#epoch };
    life.outbox.push(life.instance.open(options, this.#host.timers.now(), this.#host.seed(), records, inventory));
    await life.outbox.settled();
    this.#refusing = null;
    this.#endOrphans((container) => !runs(inventory, container));
    this.#life = life;
    this.#reopening = null;
    if (!this.#pumping) this.#pump();
  }

  #newLife(): Life {
    const life: Life = {
      instance: new Instance(this.#core),
      effects: new Effects(this.#host, (input) => this.deliver(input)),
      outbox: new Outbox(
        (commands) => this.#commit(commands),
        (step) => this.#release(life, step),
        (error) => this.#discard(error),
      ),
    };
    return life;
  }

  async #commit(commands: records.RecordCommand[]): Promise<void> {
    try {
      await this.#host.records.commit(commands);
    } catch (error) {
      throw new NotKept(error);
    }
    this.#pauseNs = FIRST_PAUSE_NS;
  }

  #endOrphans(stopped: (container: string) => boolean): void {
    this.#requests.endOrphans(this.#replies, stopped);
  }

  /** Whether something ends in time. */
  #within(ns: bigint, ended: Promise<void>): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const late = this.#host.timers.at(this.#host.timers.now().monotonic + ns, () => resolve(false));
      ended.then(() => resolve(true), reject).finally(late);
    });
  }

  #tooManyTraps(): boolean {
    const since = this.#host.timers.now().monotonic - TRAP_WINDOW_NS;
    return this.#traps.filter((at) => at >= since).length >= TRAPS;
  }
}

/** Records could not be kept. */
class NotKept extends Error {
  constructor(cause: unknown) {
    super(messageOf(cause), { cause });
  }
}

/** What was not taken in before the instance was lost and still matters: the inventory tells all the rest. */
function outlivesInstance(input: Input): boolean {
  return input.tag === "request" || input.tag === "closed" || input.tag === "exited";
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
