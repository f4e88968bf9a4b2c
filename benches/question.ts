// What a bench is: one question, asked of each engine in the same run, interleaved round by round, answered by a median.
import type { RunningEngine } from "../tests/support/engines.js";

export interface Sizes {
  /** Rounds each engine has. */
  readonly rounds: number;
  /** Requests of one round where a single one is too short to be timed. */
  readonly requests: number;
  /** Uncompressed bytes of each of the five layers pulled. */
  readonly layerBytes: number;
  /** Bytes of log written and read. */
  readonly logBytes: number;
  /** How long an engine is left alone before its idle memory is read. */
  readonly idleMs: number;
  /** Containers that share the memory measured per container. */
  readonly containers: number;
}

export const REAL: Sizes = {
  rounds: 20,
  requests: 2000,
  layerBytes: 64 << 20,
  logBytes: 64 << 20,
  idleMs: 30_000,
  containers: 10,
};

/** Small enough to run with the tests, so that no bench rots. */
export const QUICK: Sizes = {
  rounds: 1,
  requests: 20,
  layerBytes: 64 << 10,
  logBytes: 256 << 10,
  idleMs: 200,
  containers: 2,
};

export interface Answer {
  readonly question: string;
  readonly unit: string;
  /** By engine: `linux`, `reference`. */
  readonly figures: Readonly<Record<string, number>>;
  /** What is to be reached, against the reference or as it stands. */
  readonly goal?: Goal;
  /** More about how it was measured. */
  readonly note?: string;
}

export interface Goal {
  readonly says: string;
  readonly reached: (ours: number, reference: number | undefined) => boolean;
}

export type Question = (engines: readonly RunningEngine[], sizes: Sizes) => Promise<Answer[]>;

/** `figure` is at most `factor` times the reference's. */
export function atMost(factor: number): Goal {
  return {
    says: factor < 1 ? `${round(1 / factor)} times less` : `at most ${factor} times`,
    reached: (ours, reference) => reference === undefined || ours <= reference * factor,
  };
}

/** `figure` is at least `factor` times the reference's. */
export function atLeast(factor: number): Goal {
  return {
    says: `at least ${factor} times`,
    reached: (ours, reference) => reference === undefined || ours >= reference * factor,
  };
}

/** Times `act` in milliseconds, the engines taking turns; the median of each. */
export async function medians(
  engines: readonly RunningEngine[],
  rounds: number,
  act: (engine: RunningEngine) => Promise<number>,
): Promise<Record<string, number>> {
  const times = new Map<string, number[]>(engines.map((engine) => [engine.kind, []]));
  for (let i = 0; i < rounds; i += 1) {
    for (const engine of engines) times.get(engine.kind)?.push(await act(engine));
  }
  return Object.fromEntries([...times].map(([kind, all]) => [kind, median(all)]));
}

/** How long `act` takes, in milliseconds. */
export async function timed(act: () => Promise<unknown>): Promise<number> {
  const before = process.hrtime.bigint();
  await act();
  return Number(process.hrtime.bigint() - before) / 1e6;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const high = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? high : ((sorted[middle - 1] ?? Number.NaN) + high) / 2;
}

export function round(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
