// Sums up the results of many stories.

import { createHash } from "node:crypto";
import { type OutputCounts, addCounts } from "./forks/output-counts.js";
import { tableText } from "./visits/table.js";
import { type Visited, addVisited } from "./visits/visits.js";

/** The result of one seed. */
export interface SeedResult {
  seed: number;
  steps: number;
  crashes: number;
  /** Cuts after each kind of output. */
  cuts: OutputCounts;
  visited: Visited;
  /** Hash of all outputs, in hex. */
  hash: string;
  /** A text for people, or null if all rules held. */
  failure: string | null;
}

export class Tally {
  readonly #began = performance.now();
  readonly #hashes = new Map<number, string>();
  #steps = 0;
  #crashes = 0;
  readonly #cuts: OutputCounts = {};
  readonly #visited: Visited = { entries: {}, statuses: {} };
  readonly #entries: readonly string[];
  failed = 0;

  /** `entries`: the cases of the boundary. */
  constructor(entries: readonly string[]) {
    this.#entries = entries;
  }

  add({ seed, steps, crashes, cuts, visited, hash, failure }: SeedResult): void {
    this.#hashes.set(seed, hash);
    this.#steps += steps;
    this.#crashes += crashes;
    addCounts(this.#cuts, cuts);
    addVisited(this.#visited, visited);
    if (failure !== null) this.failed += 1;
  }

  /** Hash of all outputs of all stories. It is equal for equal seeds, in any order and with any number of jobs. */
  get hash(): string {
    const hash = createHash("sha256");
    for (const [, one] of [...this.#hashes].sort(([a], [b]) => a - b)) hash.update(one);
    return hash.digest("hex");
  }

  text(): string {
    const seconds = (performance.now() - this.#began) / 1000;
    const speed = `${Math.round((this.#hashes.size / seconds) * 60)} seeds/min, ${Math.round(this.#steps / seconds)} steps/s`;
    const what = `${this.#hashes.size} seeds, ${this.#steps} steps, ${this.#crashes} crashes`;
    return `${tableText(this.#entries, this.#visited)}\n${cutsText(this.#cuts)}\n${what} in ${seconds.toFixed(1)} s (${speed}); ${this.failed} failed\nhash of all outputs: ${this.hash}`;
  }
}

/** How often engines were killed after which outputs. */
export function cutsText(counts: OutputCounts): string {
  const cuts = Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1));
  const all = cuts.reduce((sum, [, count]) => sum + count, 0);
  return `killed after ${all} outputs: ${cuts.map(([kind, count]) => `${kind} ${count}`).join(", ")}`;
}
