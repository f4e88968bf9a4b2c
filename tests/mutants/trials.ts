// Tries mutants in parallel, each in a separate process, because a mutant may hang or crash its process.

import { fork, type ChildProcess } from "node:child_process";
import type { Made } from "./build.js";

export interface Trial {
  /** Numbers of the active mutants. */
  mutants: readonly number[];
  by: SearchTrial | SeedTrial | { played: string; rule: string } | { story: string };
}

export interface SearchTrial {
  /** The commands that it begins with. */
  before: readonly string[];
  /** Searches only with this many commands; else with more and more of them. */
  commands?: number;
  /** The number of moves after which it ends. */
  most?: number;
}

export interface SeedTrial {
  seed: number;
  /** The number of lines after which the story ends; else it ends after its usual number of steps. */
  lines?: number;
}

export interface Answer {
  /** Rule and message; null if nothing is wrong. */
  found: string | null;
  /** Or moves, or lines, depending on the finder. */
  steps: number;
  /** Why it did not finish. For the core this counts only if it stops the check itself. */
  lost?: string;
  /** For a seed: the number of lines that were played. */
  lines?: number;
  /** For a seed: the hash of all outputs. */
  hash?: string;
  /** For the search: the number of commands with which something was found. */
  commands?: number;
  /** For a seed: how often each mutant's code ran, by its number. */
  asked?: number[];
}

/** A trial that takes this long would never end. */
const LONGEST_MS = 300_000;
/** A seed takes some seconds. */
const LONGEST_OF_SEED_MS = 90_000;
/** As in the simulator (hosts/node/setup.mjs): six seeds took 6.0 s of a processor, not 7.0. */
const ROOM = ["--max-semi-space-size=64", "--initial-old-space-size=256", "--interrupt-budget=600000"];

export class Trials {
  readonly #made: Made;
  readonly #jobs: number;
  readonly #idle: ChildProcess[] = [];
  readonly #waiting: (() => void)[] = [];
  #busy = 0;

  constructor(made: Made, jobs: number) {
    this.#made = made;
    this.#jobs = jobs;
  }

  async try(trial: Trial): Promise<Answer> {
    while (this.#busy >= this.#jobs) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#busy += 1;
    try {
      return await this.#ask(this.#idle.pop() ?? (await this.#begin()), trial);
    } finally {
      this.#busy -= 1;
      this.#waiting.shift()?.();
    }
  }

  close(): void {
    for (const worker of this.#idle.splice(0)) worker.kill();
  }

  #begin(): Promise<ChildProcess> {
    const worker = fork(this.#made.worker, [this.#made.core], { execArgv: ROOM });
    return new Promise((resolve, reject) => {
      worker.once("message", () => resolve(worker));
      worker.once("exit", (code) => reject(new Error(`a worker could not begin: it ended with ${code}`)));
    });
  }

  #ask(worker: ChildProcess, trial: Trial): Promise<Answer> {
    return new Promise((resolve) => {
      const late = setTimeout(() => worker.kill("SIGKILL"), "seed" in trial.by ? LONGEST_OF_SEED_MS : LONGEST_MS);
      const ended = (code: number | null): void => {
        clearTimeout(late);
        const lost = code === null ? "it hangs" : `its process ended with ${code}`;
        resolve({ found: null, steps: 0, lost });
      };
      worker.once("exit", ended);
      worker.once("message", (answer: Answer) => {
        clearTimeout(late);
        worker.off("exit", ended);
        this.#idle.push(worker);
        resolve(answer);
      });
      worker.send(trial);
    });
  }
}
