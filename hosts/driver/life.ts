// The life of one instance of the core in its driver: its calls, who is told about them, and how its outputs leave.

import { Effects } from "./effects.js";
import type { Became } from "./effects.js";
import type {
  Effect,
  Host,
  Input,
  RecordChange,
  Replies,
  RequestId,
  StepOutputs,
  engine,
  types,
} from "../shared/index.js";
import { Instance } from "./instance.js";
import type { CompiledCore } from "./instance.js";
import type { Attempt, ObservedStep, Observer, Opening } from "./observer.js";
import { Outbox } from "./outbox.js";
import type { OpenRequests } from "../request/index.js";

/** What a driver shares with its instances, one after the other. */
export interface Lent {
  core: CompiledCore;
  host: Host;
  replies: Replies;
  requests: OpenRequests;
  observer: Observer | undefined;
  deliver: (input: Input) => void;
  /** A transaction, an effect or a reply has left. */
  left: () => void;
  /** A transaction is durable. */
  kept: () => void;
  /** A transaction failed. Not called for an instance that was cut off. */
  failed: (error: unknown) => void;
}

/** The state of an instance between two steps, from which another one can continue. */
export interface Fork {
  epoch: number;
  /** The result of `engine.snapshot`. */
  snapshot: Uint8Array;
  /** Open effects, including timers. */
  pending: Effect[];
  /** The id of its driver's last request. */
  lastRequest: RequestId;
}

export class Life {
  readonly epoch: number;
  readonly #lent: Lent;
  readonly #instance: Instance;
  readonly #effects: Effects;
  readonly #outbox: Outbox;
  #steps = 0;
  #gone = false;
  #cut = false;

  constructor(epoch: number, lent: Lent) {
    this.epoch = epoch;
    this.#lent = lent;
    this.#instance = new Instance(lent.core);
    this.#effects = new Effects(lent.host, lent.deliver, lent.left);
    this.#outbox = new Outbox(
      async () => lent.host.records.gather?.(),
      (changes) => this.#commit(changes),
      (step) => this.#release(step),
      lent.failed,
    );
  }

  /** Throws `OpeningRefused` if the core cannot open with these options, or these records. */
  check(options: engine.Options, records: engine.Stored[]): void {
    const ofEngine = records.filter(({ key }) => key.startsWith("engine/"));
    const why = this.#instance.refuses(options, ofEngine);
    if (why !== undefined) throw new OpeningRefused(why);
  }

  /** Resolves when the core has repaired what it found and that is durable. Rejects with `Trap` or `NotKept`. */
  async open(now: types.Instant, opening: Opening): Promise<void> {
    const { options, seed, records, journal, inventory } = opening;
    const open = () => this.#instance.open(options, now, seed, records, journal, inventory);
    const outputs = this.#attempt({ now, opening }, open);
    this.#lent.observer?.opened(this.#observed(now, outputs), opening);
    this.#outbox.push(outputs);
    await this.#outbox.settled();
  }

  /** Instead of `open`: continues as the instance that the fork was taken of. Throws `Trap`. */
  resume({ snapshot, pending }: Fork): void {
    this.#instance.restore(snapshot);
    for (const effect of pending) this.#effects.start(effect);
  }

  /** Throws `Trap`. */
  fork(lastRequest: RequestId): Fork {
    const held = this.#outbox.held.flatMap(({ effects }) => effects);
    const pending = [...this.#effects.pending, ...held];
    return { epoch: this.epoch, snapshot: this.#instance.snapshot(), pending, lastRequest };
  }

  /** Throws `Trap`. */
  step(now: types.Instant, input: Input): void {
    const outputs = this.#attempt({ now, input }, () => this.#instance.step(now, input));
    this.#steps++;
    this.#lent.observer?.stepped(this.#observed(now, outputs), input);
    this.#outbox.push(outputs);
    this.#instance.collectSome();
  }

  became(input: Became): void {
    this.#effects.became(input);
  }

  rules(): engine.Rule[] {
    return this.#instance.rules();
  }

  /** Nothing has happened for a moment. Throws `Trap`. */
  idle(): void {
    const snapshot = () => this.#instance.snapshot();
    this.#lent.observer?.rested?.({ epoch: this.epoch, step: this.#steps, snapshot });
  }

  /** Does a part of a collection in an idle moment. Returns whether there is more to do. Throws `Trap`. */
  collectIdle(): boolean {
    if (this.#instance.mayCollect) this.#instance.collectSlice();
    return this.#instance.isCollecting;
  }

  /** Bytes that the instance has allocated, modulo 2^32. */
  get allocatedBytes(): number {
    return this.#instance.allocatedBytes;
  }

  /** See `ComponentInstance.collectAndWipe`. Throws `Trap`. */
  collectAndWipe(): () => Uint8Array {
    return this.#instance.collectAndWipe();
  }

  /** Resolves when all outputs so far have left, or can no longer leave. */
  async settled(): Promise<void> {
    await this.#outbox.settled().catch(() => {});
  }

  /** Aborts current work and carries out what follows from that, until nothing is running. */
  async rest(): Promise<void> {
    do await this.settled();
    while (!this.#gone && (await this.#effects.end()));
  }

  /** See `Effects.discard`. */
  discard(): Promise<void> {
    return this.#effects.discard();
  }

  /** See `Effects.giveUp`. */
  giveUp(): void {
    this.#effects.giveUp();
  }

  /** The operations that `discard` waits for, by name. */
  get restless(): string[] {
    return this.#effects.restless;
  }

  /** No more outputs leave, and results of running operations are dropped. */
  cut(error: unknown): void {
    this.#cut = true;
    this.#outbox.cut();
    this.#effects.cut();
    this.lost(error);
  }

  /** Tells the observer, once. */
  lost(error: unknown, during?: Attempt): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#lent.observer?.lost(this.epoch, error, during);
  }

  #attempt(attempt: Attempt, call: () => StepOutputs): StepOutputs {
    try {
      return call();
    } catch (error) {
      this.lost(error, attempt);
      throw error;
    }
  }

  #observed(now: types.Instant, outputs: StepOutputs): ObservedStep {
    const instance = this.#instance;
    return {
      epoch: this.epoch,
      step: this.#steps,
      now,
      outputs,
      explain: () => instance.explain(),
      snapshot: () => instance.snapshot(),
    };
  }

  async #commit(changes: RecordChange[]): Promise<void> {
    try {
      await this.#lent.host.records.commit(changes);
    } catch (error) {
      throw new NotKept(error);
    }
    if (this.#cut) return;
    this.#lent.kept();
    this.#lent.left();
  }

  #release(step: StepOutputs): void {
    for (const effect of step.effects) this.#effects.start(effect);
    for (const { request, command } of step.replies) {
      if (this.#cut) return;
      this.#lent.requests.sent(request, command);
      this.#lent.replies.perform(request, command);
    }
  }
}

/** The core cannot open with these options or these records: nothing was changed. */
export class OpeningRefused extends Error {}

/** Records could not be made durable. */
export class NotKept extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
