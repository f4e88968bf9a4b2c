// The types of a bench: one question, measured for each engine in the same run, in alternating rounds; the result is
// the median.
import type { EngineKind, RunningEngine } from "../tests/support/engines.js";

export interface Sizes {
  /** Rounds for each engine. */
  readonly rounds: number;
  /** Rounds for each engine if one round takes seconds. */
  readonly longRounds: number;
  /** Requests per round if a single one is too short to measure. */
  readonly requests: number;
  /** Uncompressed bytes of each of the five pulled layers. */
  readonly layerBytes: number;
  /** Layers of an image that has many small ones. */
  readonly smallLayers: number;
  /** Uncompressed bytes of the only layer of an image. */
  readonly largeLayerBytes: number;
  /** Images to list. */
  readonly images: number;
  /** Bytes of log written and read. */
  readonly logBytes: number;
  /** How long an engine is left idle before its memory is read. */
  readonly idleMs: number;
  /** How long engine and disk are at rest before an image is moved; 0: they need not be. */
  readonly restMs: number;
  /** Containers created in one go. */
  readonly creates: number;
  /** Published ports of one container. */
  readonly publishedPorts: number;
  /** Recorded containers at a restart, from few to many. */
  readonly recorded: readonly number[];
  /** Containers over which the measured memory is divided. */
  readonly containers: number;
  /** Sleeping containers, started and removed by several clients at once. */
  readonly sleepers: number;
  /** Containers that start, end and are removed by several clients at once. */
  readonly runs: number;
  /** Runs beside those of the bare OCI runtime. */
  readonly bareRuns: number;
  /** Running containers that an engine finds at its start. */
  readonly found: number;
  /** How long an engine is left idle after a burst of work before its memory is read. */
  readonly afterBurstMs: number;
  /** Containers that start and end while pings are sent. */
  readonly comings: number;
  /** Created containers to list, and to inspect one of. */
  readonly listed: number;
  /** Bytes copied in and out. */
  readonly copiedBytes: number;
  /** Small files copied in and out. */
  readonly copiedFiles: number;
  /** Steps of a build that do nothing. */
  readonly idleSteps: number;
  /** Files of the context of a build by BuildKit. */
  readonly contextFiles: number;
  /** What a build has in a cache that its steps mount. */
  readonly cacheMebibytes: number;
  readonly buildsAtOnce: number;
  /** How long an engine is left idle after builds before its memory is read. */
  readonly afterBuildsMs: number;
  /** Concurrent readers of events. */
  readonly readers: number;
  /** Clients that request events and never read them. */
  readonly unread: number;
  /** How long events are sent to clients that never read them. */
  readonly unreadMs: number;
  /** Labels of a container that is large itself and has large events. */
  readonly labels: number;
  /** Lines or events, each measured separately. */
  readonly moments: number;
  /** Containers among which the core collects garbage. */
  readonly collected: number;
  /** Containers of the simulated engine whose memory is measured. */
  readonly simulatedContainers: number;
  /** Containers of the simulated engine that are alive at a time. */
  readonly simulatedLives: number;
  /** Simulated minutes during which containers start and end. */
  readonly simulatedMinutes: number;
  /** Seeds for the simulator, and steps of each. */
  readonly seeds: number;
  readonly steps: number;
  /** Look-ups of a name in one round. */
  readonly lookUps: number;
  /** How long a connection sends. */
  readonly sendMs: number;
  /** Connections opened one after the other. */
  readonly connections: number;
  /** Datagrams sent to and fro, one after the other. */
  readonly roundTrips: number;
  /** Networks of one engine, from few to many. */
  readonly networks: readonly [few: number, many: number];
  /** Endpoints on the many networks. */
  readonly endpoints: number;
  /** Services of a Compose file. */
  readonly services: number;
  /** How many times the playground is opened, each time with a fresh profile. */
  readonly visits: number;
  /** How hard brotli tries, from 0 to 11. */
  readonly brotli: number;
}

export const REAL: Sizes = {
  rounds: 20,
  longRounds: 5,
  requests: 2000,
  layerBytes: 78 << 20,
  smallLayers: 40,
  largeLayerBytes: 500 << 20,
  images: 500,
  logBytes: 64 << 20,
  idleMs: 30_000,
  restMs: 300,
  creates: 200,
  publishedPorts: 65_535,
  recorded: [0, 1000, 10_000],
  containers: 40,
  sleepers: 40,
  runs: 400,
  bareRuns: 100,
  found: 300,
  afterBurstMs: 60_000,
  comings: 80,
  listed: 1000,
  copiedBytes: 100 << 20,
  copiedFiles: 5000,
  idleSteps: 10,
  contextFiles: 20_000,
  cacheMebibytes: 500,
  buildsAtOnce: 10,
  afterBuildsMs: 60_000,
  readers: 100,
  unread: 85,
  unreadMs: 1500,
  labels: 150_000,
  moments: 200,
  simulatedContainers: 10_000,
  simulatedLives: 100,
  simulatedMinutes: 60,
  seeds: 60,
  steps: 500,
  lookUps: 5000,
  sendMs: 1000,
  connections: 2000,
  roundTrips: 1000,
  networks: [2, 200],
  endpoints: 1000,
  services: 20,
  visits: 5,
  brotli: 11,
  collected: 3000,
};

/** Small enough to run with the tests, so that every bench keeps working. */
export const QUICK: Sizes = {
  rounds: 1,
  longRounds: 1,
  requests: 20,
  layerBytes: 64 << 10,
  smallLayers: 3,
  largeLayerBytes: 128 << 10,
  images: 5,
  logBytes: 256 << 10,
  idleMs: 200,
  restMs: 0,
  creates: 8,
  publishedPorts: 100,
  recorded: [0, 10],
  containers: 2,
  sleepers: 8,
  runs: 4,
  bareRuns: 2,
  found: 2,
  afterBurstMs: 200,
  comings: 4,
  listed: 10,
  copiedBytes: 1 << 20,
  copiedFiles: 10,
  idleSteps: 2,
  contextFiles: 20,
  cacheMebibytes: 1,
  buildsAtOnce: 2,
  afterBuildsMs: 200,
  readers: 5,
  unread: 5,
  unreadMs: 300,
  labels: 3000,
  moments: 3,
  simulatedContainers: 20,
  simulatedLives: 12,
  simulatedMinutes: 2,
  seeds: 1,
  steps: 50,
  lookUps: 20,
  sendMs: 20,
  connections: 10,
  roundTrips: 10,
  networks: [1, 2],
  endpoints: 2,
  services: 2,
  visits: 1,
  brotli: 5,
  collected: 20,
};

/** What a figure describes: an engine, a part of Coracle that is the same on all of them, or the machine's disk. */
export type Subject = EngineKind | "core" | "page" | "disk";

export type Figures = Readonly<Partial<Record<Subject, number>>>;

export interface Answer {
  readonly question: string;
  readonly unit: string;
  readonly figures: Figures;
  /** The goal, relative to the reference or absolute. */
  readonly goal?: Goal;
  /** How it was measured. */
  readonly note?: string;
}

export interface Goal {
  readonly says: string;
  readonly reached: (ours: number, reference: number | undefined) => boolean;
}

export interface Question {
  /** Whether it needs engines that run containers; otherwise it brings its own. */
  readonly needsEngines: boolean;
  /** Why it cannot run here, whatever engines there are; null if it can. */
  missing(): string | null;
  ask(engines: readonly RunningEngine[], sizes: Sizes): Promise<Answer[]>;
}

/** Our own figure, which goals are judged by: the one that is not the reference's. */
export function ours({ linux, simulated, core, page }: Figures): number | undefined {
  return linux ?? simulated ?? core ?? page;
}

/** `figure` must be less than `limit`. */
export function under(limit: number, unit: string): Goal {
  return { says: `under ${limit} ${unit}`, reached: (figure) => figure < limit };
}

/** `figure` must be at most `factor` times the reference's. */
export function atMost(factor: number): Goal {
  return {
    says: factor < 1 ? `${round(1 / factor)} times less` : `at most ${factor} times`,
    reached: (ours, reference) => reference === undefined || ours <= reference * factor,
  };
}

/** `figure` must be at least `factor` times the reference's. */
export function atLeast(factor: number): Goal {
  return {
    says: `at least ${factor} times`,
    reached: (ours, reference) => reference === undefined || ours >= reference * factor,
  };
}

/** The measurements of each subject, round by round. */
export class Rounds {
  readonly #values = new Map<string, number[]>();

  add(subject: string, value: number): void {
    this.#values.set(subject, [...(this.#values.get(subject) ?? []), value]);
  }

  medians(): Record<string, number> {
    return Object.fromEntries([...this.#values].map(([subject, values]) => [subject, median(values)]));
  }
}

/** Runs `act` for each engine in alternating rounds, and returns each engine's median. */
export async function medians(
  engines: readonly RunningEngine[],
  rounds: number,
  act: (engine: RunningEngine) => Promise<number>,
): Promise<Record<string, number>> {
  const measured = new Rounds();
  for (let i = 0; i < rounds; i += 1) {
    for (const engine of engines) measured.add(engine.kind, await act(engine));
  }
  return measured.medians();
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
