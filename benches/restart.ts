// How long does a killed engine take from its start to its first answer, by the number of recorded containers?
import { engines, RunningEngine, startWithBusybox, type Engine } from "../tests/support/engines.js";
import { created } from "./durable.js";
import { byHands, HANDS } from "./hands.js";
import { median, timed, under, type Answer, type Sizes } from "./question.js";
import { created as sleeper, removed, started } from "./sleepers.js";

/** For the largest number of containers. */
const GOAL = under(3000, "ms");
const GOAL_RUNNING = under(700, "ms");

/** Only for our engine: the reference takes minutes to create this many. */
export async function restart({ recorded, found, longRounds }: Sizes): Promise<Answer[]> {
  const running = new RunningEngine(linux(), await startWithBusybox(linux()));
  const answers: Answer[] = [];
  try {
    const ms = await withRunning(running, found, () => medianOf(longRounds, running));
    const question = `kill -9, start, ping and list with ${found} running containers`;
    answers.push({ question, unit: "ms", figures: { linux: ms }, goal: GOAL_RUNNING });
    for (const [at, count] of recorded.entries()) {
      await created(running, count - (recorded[at - 1] ?? 0), HANDS);
      const ms = await medianOf(longRounds, running);
      const question = `kill -9, start, ping and list with ${count} containers`;
      const goal = at === recorded.length - 1 ? { goal: GOAL } : {};
      answers.push({ question, unit: "ms", figures: { linux: ms }, ...goal });
    }
  } finally {
    // Its containers never ran, so they need not be removed one by one.
    await running.daemon.end("SIGKILL");
    await running.daemon.close();
  }
  return answers;
}

async function medianOf(rounds: number, engine: RunningEngine): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < rounds; i += 1) times.push(await timed(() => restarted(engine)));
  return median(times);
}

/** While so many containers run. They are removed then. */
async function withRunning<T>(engine: RunningEngine, count: number, act: () => Promise<T>): Promise<T> {
  const ids: string[] = [];
  try {
    await byHands(engine, count, async (wire) => ids.push(await started(wire, await sleeper(wire))));
    return await act();
  } finally {
    await byHands(engine, ids.length, (wire, at) => removed(wire, ids[at]!));
  }
}

/** Why it cannot run here; null if it can. */
export function restartMissing(): string | null {
  return linux().missing;
}

function linux(): Engine {
  const found = engines().find(({ kind }) => kind === "linux");
  return found ?? { ...engines()[0]!, missing: "another engine was chosen" };
}

async function restarted(engine: RunningEngine): Promise<void> {
  await engine.daemon.end("SIGKILL");
  await engine.daemon.start();
  await engine.must(200, "GET", "/containers/json?all=1");
}
