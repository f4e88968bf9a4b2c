// A client that works while the engine is cut off under it, and remembers what it was told.
import type { RawResponse } from "../raw-http.js";

/** What is read of an answer. */
export type Answer = Pick<RawResponse, "status" | "text" | "body" | "json">;

/** Whoever takes requests. `call` rejects when there is no whole answer. */
export interface Door {
  call(method: string, path: string, body?: unknown): Promise<Answer>;
}

/** How the engine came to its end. What ran goes on after a kill, and is gone once the power was. */
export type CutBy = "kill" | "power loss";

/** One thing that a client asks for. */
export interface Step {
  readonly name: string;
  /** Whether it makes sense now. */
  fits(): boolean;
  /** Asks, and remembers what it was told as soon as it is. Throws `Gone` when there is no answer. */
  act(): Promise<void>;
}

/** The engine was cut off before it had answered. */
export class Gone extends Error {}

/** How often each step was answered, and how often it was cut off. */
export type Tally = Map<string, { answered: number; cutOff: number }>;

export abstract class Client {
  /** What was asked for and not answered, by the step's name. */
  asked: string | null = null;
  protected abstract readonly steps: readonly Step[];
  /** What it did last, for failures. */
  protected readonly history: string[] = [];

  constructor(
    protected readonly engine: Door,
    protected readonly random: (limit: number) => number,
  ) {}

  /** One step after the other until `isUp` says no. Throws when something is answered wrongly. */
  async work(isUp: () => boolean, rest: () => Promise<void>, tally: Tally): Promise<void> {
    while (isUp()) {
      const fit = this.steps.filter((step) => step.fits());
      const step = fit[this.random(fit.length)]!;
      this.asked = step.name;
      const count = tally.get(step.name) ?? { answered: 0, cutOff: 0 };
      tally.set(step.name, count);
      try {
        await step.act();
      } catch (error) {
        if (!(error instanceof Gone)) throw error;
        count.cutOff += 1;
        this.remember(`${step.name} cut off`);
        return;
      }
      count.answered += 1;
      this.remember(step.name);
      this.asked = null;
      await rest();
    }
  }

  /** Compares what it was told with what is so; what was on its way may be so or not, and is known from now on. */
  abstract check(by: CutBy): Promise<void>;

  /** Removes all that is its own. */
  abstract clear(): Promise<void>;

  /** A call that, if it is answered, is answered with one of these. */
  protected async ask(allowed: readonly number[], method: string, path: string, body?: unknown): Promise<Answer> {
    const answer = await this.engine.call(method, path, body).catch(() => null);
    if (answer === null) throw new Gone();
    if (allowed.includes(answer.status)) return answer;
    throw new Error(`${this.describe()}: ${method} ${path}: ${answer.status} ${answer.text.slice(0, 500)}`);
  }

  protected remember(what: string): void {
    this.history.push(what);
    if (this.history.length > HISTORY) this.history.shift();
  }

  /** For failures: what it knows. */
  protected abstract describe(): string;
}

const HISTORY = 12;
