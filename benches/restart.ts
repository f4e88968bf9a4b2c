// How long after its start does a killed engine answer, with how many containers on record?
import { engines, RunningEngine, startWithBusybox, type Engine } from "../tests/support/engines.js";
import { created } from "./durable.js";
import { HANDS } from "./hands.js";
import { Rounds, timed, under, type Answer, type Goal, type Sizes } from "./question.js";

/** The reference is asked for as many at most: it takes minutes to make more. */
const OF_REFERENCE = 1000;

export async function restart(sizes: Sizes): Promise<Answer[]> {
  const rounds = new Map<number, Rounds>(sizes.recorded.map((count) => [count, new Rounds()]));
  const able = engines().filter(({ kind, missing }) => kind !== "simulated" && missing === null);
  for (const engine of able) await measure(engine, sizes, rounds);
  return sizes.recorded.map((count) => ({
    question: `kill -9, start, ping and list with ${count} containers`,
    unit: "ms",
    figures: rounds.get(count)!.medians(),
    ...goalOf(count),
  }));
}

/** Why it cannot be asked here; null if it can. */
export function restartMissing(): string | null {
  return engines().find(({ kind }) => kind === "linux")?.missing ?? null;
}

async function measure(engine: Engine, sizes: Sizes, rounds: ReadonlyMap<number, Rounds>): Promise<void> {
  const running = new RunningEngine(engine, await startWithBusybox(engine));
  try {
    let there = 0;
    for (const [count, times] of rounds) {
      if (engine.kind === "reference" && count > OF_REFERENCE) continue;
      await created(running, count - there, HANDS);
      there = count;
      for (let i = 0; i < sizes.longRounds; i += 1) times.add(engine.kind, await timed(() => restarted(running)));
    }
  } finally {
    // Its containers never ran: they need not be removed one by one.
    await running.daemon.end("SIGKILL");
    await running.daemon.close();
  }
}

async function restarted(engine: RunningEngine): Promise<void> {
  await engine.daemon.end("SIGKILL");
  await engine.daemon.start();
  await engine.must(200, "GET", "/containers/json?all=1");
}

function goalOf(count: number): { goal?: Goal } {
  return count >= 10_000 ? { goal: under(3000, "ms") } : {};
}
