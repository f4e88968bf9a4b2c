// Starts what steps asked of the host, and turns what came of it into inputs. One object per instance of the core.

import { lasts, mayBeGivenUp, onlyAsks } from "../shared/commands.js";
import { failureOf } from "../shared/failure.js";
import type { Host, Input, Operation, Outcome, Report, engine, records, timers } from "../shared/host.js";
import { SubjectQueues, subjectOf } from "./order.js";
import type { Effect, HostEffect } from "../shared/outputs.js";
import { ProgressReports } from "./progress-pace.js";
import { Timers } from "./timers.js";

export class Effects {
  readonly #host: Host;
  readonly #deliver: (input: Input) => void;
  readonly #left: () => void;
  readonly #queues = new SubjectQueues();
  readonly #inFlight = new Map<Operation, { effect: HostEffect; ended: Promise<void> }>();
  readonly #timers: Timers;
  /** Runs and execs whose launch has not completed, and what became of them too early. */
  readonly #launching = new Map<string, Input[]>();
  /** Operations that are to be given up, though they may have to begin first. */
  readonly #givenUp = new Set<Operation>();
  /** What may last is given up as it begins, too. */
  #late = false;
  #discarded = false;
  #cut = false;

  /** `left` is called whenever the host has been asked for something that a step wanted. */
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

  /** What was asked for and has not come: commands that have not ended, timers that are set. */
  get pending(): Effect[] {
    return [...[...this.#inFlight.values()].map(({ effect }) => effect), ...this.#timers.pending];
  }

  /** Keeps it back until the launch it belongs to has completed, as `engine.exited` promises. */
  became(input: Became): void {
    const whose = input.tag === "exec-exited" ? input.val.exec : runOf(input.val);
    const early = this.#launching.get(whose);
    if (early !== undefined) early.push(input);
    else this.#deliver(input);
  }

  /**
   * The instance is gone: timers are called off, what has not begun never does, nothing is delivered any more. Resolves
   * when nothing goes on that changes anything: the next inventory would find it half done, and the next instance's
   * commands would meet it. A copy or a pull may last for hours, and is given up; what only asks goes on for nobody.
   */
  async discard(): Promise<void> {
    if (this.#cut) return;
    this.#discarded = true;
    this.#timers.callAllOff();
    this.#abandon(isLong);
    await Promise.all(this.#awaited.map(({ ended }) => ended));
  }

  /**
   * Gives up what may last for hours. Resolves when nothing goes on that changes anything and the instance has been told
   * how it ended, and of timers that were due; false: nothing did go on.
   */
  async end(): Promise<boolean> {
    const awaited = [...this.#awaited, ...this.#timers.due];
    this.#abandon(isLong);
    await Promise.all(awaited.map(({ ended }) => ended));
    return awaited.length > 0;
  }

  /**
   * Gives up all that may be given up, launches included, which as a rule are over in a moment; what begins later, and
   * may last, is given up as it begins. What undoes them runs to its end.
   */
  giveUp(): void {
    if (this.#cut) return;
    this.#late = true;
    this.#abandon(mayBeGivenUp);
  }

  /** What `discard` waits for, by name: `content ingest`. */
  get restless(): string[] {
    return this.#awaited.map(({ effect }) => `${effect.to} ${effect.command.tag}`);
  }

  /** Asks for nothing any more, not even for what waits its turn; what goes on goes on, and nobody hears of it. */
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

  /** The host leaves one alone that has not begun. */
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

  /** Never rejects: what was thrown is the outcome. */
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

/** A copy or a pull may last for hours. */
function isLong(effect: HostEffect): boolean {
  return effect.to !== "processes" && mayBeGivenUp(effect);
}

/** The end of a run, or of an exec. */
export type Ended = Input & { tag: "exited" | "exec-exited" };

/** What becomes of one while it goes on, too. */
export type Became = Input & { tag: "exited" | "exec-exited" | "out-of-memory" };

/** The run or the exec that a command begins; null for every other command. */
function launchedBy({ to, command }: HostEffect): string | null {
  if (to !== "processes") return null;
  if (command.tag === "launch") return runOf(command.val);
  return command.tag === "exec" ? command.val.exec : null;
}

function runOf(subject: { container: string; run: number }): string {
  return `${subject.container} ${subject.run}`;
}
