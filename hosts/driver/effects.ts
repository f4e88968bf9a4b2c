// Starts the effects of steps on the host, and turns their results into inputs. One object for each instance of the
// core.

import { failureOf, lasts, mayBeGivenUp, onlyAsks } from "../shared/index.js";
import type {
  Effect,
  Host,
  HostEffect,
  Input,
  Operation,
  Outcome,
  Report,
  engine,
  records,
  timers,
} from "../shared/index.js";
import { SubjectQueues, subjectOf } from "./order.js";
import { ProgressReports } from "./progress-pace.js";
import { Timers } from "./timers.js";

export class Effects {
  readonly #host: Host;
  readonly #deliver: (input: Input) => void;
  readonly #left: () => void;
  readonly #queues = new SubjectQueues();
  readonly #inFlight = new Map<Operation, { effect: HostEffect; ended: Promise<void> }>();
  readonly #timers: Timers;
  /** Runs and execs whose launch has not completed, and inputs about them that arrived too early. */
  readonly #launching = new Map<string, Input[]>();
  /** Operations to abort, although they may have to start first. */
  readonly #givenUp = new Set<Operation>();
  /** Long operations are aborted as soon as they start. */
  #late = false;
  #discarded = false;
  #cut = false;

  /** `left` is called for every effect that was passed to the host. */
  constructor(host: Host, deliver: (input: Input) => void, left: () => void) {
    this.#host = host;
    this.#left = left;
    this.#deliver = (input) => {
      if (!this.#discarded) deliver(input);
    };
    this.#timers = new Timers(host.timers, (op) => this.#deliver({ tag: "elapsed", val: op }));
  }

  start(effect: Effect): void {
    if (this.#cut) return;
    if (effect.to === "timers") return this.#timer(effect.op, effect.command);
    const launched = launchedBy(effect);
    if (launched !== null) this.#launching.set(launched, []);
    const ended = this.#queues.run(subjectOf(effect), () => this.#carryOut(effect));
    this.#inFlight.set(effect.op, { effect, ended });
    void ended.then(() => {
      this.#inFlight.delete(effect.op);
      this.#givenUp.delete(effect.op);
    });
  }

  /** Open effects: commands that have not ended, timers that are set. */
  get pending(): Effect[] {
    return [...[...this.#inFlight.values()].map(({ effect }) => effect), ...this.#timers.pending];
  }

  /** Holds an input back until its launch has completed, as `engine.exited` promises. */
  became(input: Became): void {
    const whose = input.tag === "exec-exited" ? input.val.exec : runOf(input.val);
    const early = this.#launching.get(whose);
    if (early !== undefined) early.push(input);
    else this.#deliver(input);
  }

  /**
   * The instance is gone. Cancels its timers, starts nothing that has not started, and delivers nothing any more.
   * Resolves when nothing that changes anything is running: the next inventory would find it half done, and the next
   * instance's commands would collide with it. A copy or a pull may take hours, so it is aborted. Queries run on, and
   * their results are dropped.
   */
  async discard(): Promise<void> {
    if (this.#cut) return;
    this.#discarded = true;
    this.#timers.callAllOff();
    this.#abandon(isLong);
    await Promise.all(this.#awaited.map(({ ended }) => ended));
  }

  /**
   * Aborts what may take hours. Resolves when nothing that changes anything is running and the instance has been told
   * the results, and of timers that were due. Resolves to false if nothing was running.
   */
  async end(): Promise<boolean> {
    const awaited = [...this.#awaited, ...this.#timers.due];
    this.#abandon(isLong);
    await Promise.all(awaited.map(({ ended }) => ended));
    return awaited.length > 0;
  }

  /**
   * Aborts everything that can be aborted, even launches, which are usually over in a moment. Long operations that
   * start later are aborted when they start. Operations that undo them run to their end.
   */
  giveUp(): void {
    if (this.#cut) return;
    this.#late = true;
    this.#abandon(mayBeGivenUp);
  }

  /** The operations that `discard` waits for, by name: `content ingest`. */
  get restless(): string[] {
    return this.#awaited.map(({ effect }) => `${effect.to} ${effect.command.tag}`);
  }

  /** Starts nothing any more, not even waiting operations. Running ones go on, and their results are dropped. */
  cut(): void {
    this.#cut = this.#discarded = true;
    this.#timers.callAllOff();
  }

  get #awaited(): { effect: HostEffect; ended: Promise<void> }[] {
    return [...this.#inFlight.values()].filter(({ effect }) => !onlyAsks(effect));
  }

  #abandon(whether: (effect: HostEffect) => boolean): void {
    for (const [op, { effect }] of this.#inFlight) {
      if (!whether(effect)) continue;
      this.#givenUp.add(op);
      this.#abandonOne(op);
    }
  }

  /** The host ignores an abort of an operation that has not started. */
  #abandonOne(op: Operation): void {
    void this.#perform({ to: "content", op: 0n, command: { tag: "abandon", val: op } });
  }

  async #carryOut(effect: HostEffect): Promise<void> {
    if (this.#discarded) return;
    const progress = new ProgressReports(effect.op, () => this.#host.timers.now().monotonic, this.#deliver);
    const performed = this.#perform(effect, progress.report);
    this.#left();
    if (this.#givenUp.has(effect.op) || (this.#late && lasts(effect))) this.#abandonOne(effect.op);
    const outcome = await performed;
    progress.flush();
    this.#deliver({ tag: "completed", val: { op: effect.op, outcome } });
    const launched = launchedBy(effect);
    if (launched !== null) this.#launched(launched);
  }

  /** Never rejects: an exception becomes the outcome. */
  async #perform(effect: HostEffect, report: Report = () => {}): Promise<engine.Completed["outcome"]> {
    try {
      return { tag: "ok", val: await perform(this.#host, effect, report) };
    } catch (thrown) {
      return { tag: "err", val: failureOf(thrown) };
    }
  }

  #launched(whose: string): void {
    const early = this.#launching.get(whose) ?? [];
    this.#launching.delete(whose);
    for (const input of early) this.#deliver(input);
  }

  #timer(op: Operation, command: timers.TimerCommand): void {
    if (command.tag === "set") this.#timers.set(op, command.val);
    else this.#timers.cancel(op);
    this.#left();
  }
}

async function perform(host: Host, effect: HostEffect, report: Report): Promise<Outcome> {
  switch (effect.to) {
    case "processes":
      return host.processes(effect.op, effect.command, report);
    case "content":
      return host.content(effect.op, effect.command, report);
    case "networks":
      return host.networks(effect.op, effect.command, report);
    case "volumes":
      return host.volumes(effect.op, effect.command, report);
    case "records":
      return journalPage(host, effect.command.val);
  }
}

async function journalPage({ records }: Host, reading: records.JournalReading): Promise<Outcome> {
  return { tag: "journal", val: await records.journal.read(reading) };
}

/** A copy or a pull may take hours. */
function isLong(effect: HostEffect): boolean {
  return effect.to !== "processes" && mayBeGivenUp(effect);
}

/** The end of a run or of an exec. */
export type Ended = Input & { tag: "exited" | "exec-exited" };

/** Also events while it runs. */
export type Became = Input & { tag: "exited" | "exec-exited" | "out-of-memory" };

/** The run or the exec that a command starts; null for every other command. */
function launchedBy({ to, command }: HostEffect): string | null {
  if (to !== "processes") return null;
  if (command.tag === "launch") return runOf(command.val);
  return command.tag === "exec" ? command.val.exec : null;
}

function runOf(subject: { container: string; run: number }): string {
  return `${subject.container} ${subject.run}`;
}
