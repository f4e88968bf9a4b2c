// A client that works while the daemon is killed under it, and remembers what it was told.
import type { RawResponse } from "../../support/raw-http.js";
import type { EngineClient } from "../../support/engine-client.js";

/** One thing that a client asks for. */
export interface Step {
  readonly name: string;
  /** Whether it makes sense now. */
  fits(): boolean;
  /** Asks, and remembers what it was told as soon as it is. Throws `Gone` when there is no answer. */
  act(): Promise<void>;
}

/** The daemon was killed before it had answered. */
export class Gone extends Error {}

/** How often each step was answered, and how often it was cut off. */
export type Tally = Map<string, { answered: number; cutOff: number }>;

export abstract class Client {
  /** What was asked for and not answered, by the step's name. */
  asked: string | null = null;
  protected abstract readonly steps: readonly Step[];

  constructor(
    protected readonly engine: EngineClient,
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
        return;
      }
      count.answered += 1;
      this.asked = null;
      await rest();
    }
  }

  /** Compares what it was told with what is so; what was on its way may be so or not, and is known from now on. */
  abstract check(): Promise<void>;

  /** Removes all that is its own. */
  abstract clear(): Promise<void>;

  /** A call that, if it is answered, is answered with one of these. */
  protected async ask(allowed: readonly number[], method: string, path: string, body?: unknown): Promise<RawResponse> {
    const answer = await this.engine.call(method, path, body).catch(() => null);
    if (answer === null) throw new Gone();
    if (allowed.includes(answer.status)) return answer;
    throw new Error(`${this.describe()}: ${method} ${path}: ${answer.status} ${answer.text.slice(0, 500)}`);
  }

  /** For failures: what it knows. */
  protected abstract describe(): string;
}
