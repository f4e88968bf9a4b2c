// A client that works while its engine is killed, and remembers what the engine answered.
import type { RawResponse } from "../raw-http.js";

/** The parts of an answer that are read. */
export type Answer = Pick<RawResponse, "status" | "text" | "body" | "json">;

/** A destination for requests. `call` rejects if there is no complete answer. */
export interface Door {
  call(method: string, path: string, body?: unknown): Promise<Answer>;
}

/** How the engine ended. After a kill, containers keep running; after a power loss, they are gone. */
export type CutBy = "kill" | "power loss";

/** One request of a client. */
export interface Step {
  readonly name: string;
  /** Whether it makes sense now. */
  fits(): boolean;
  /** Sends the request, and remembers the answer at once. Throws `Gone` if there is none. */
  act(): Promise<void>;
}

/** The engine ended before it answered. */
export class Gone extends Error {}

/** How often each step was answered, and how often it was cut off. */
export type Tally = Map<string, { answered: number; cutOff: number }>;

export abstract class Client {
  /** The unanswered request, by the step's name. */
  asked: string | null = null;
  protected abstract readonly steps: readonly Step[];
  /** Its last actions, for failure messages. */
  protected readonly history: string[] = [];

  constructor(
    protected readonly engine: Door,
    protected readonly random: (limit: number) => number,
  ) {}

  /** Runs one step after the other until `isUp` returns false. Throws if an answer is wrong. */
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

  /**
   * Compares the answers with the actual state. An unanswered request may have taken effect or not; the actual state
   * counts from now on.
   */
  abstract check(by: CutBy): Promise<void>;

  /** Removes everything that it made. */
  abstract clear(): Promise<void>;

  /** A call whose answer, if there is one, must have one of these statuses. */
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

  /** Its knowledge, for failure messages. */
  protected abstract describe(): string;
}

const HISTORY = 12;
