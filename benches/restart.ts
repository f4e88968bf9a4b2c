// How long does a killed engine take from its start to its first answer, by the number of recorded containers?
import { engines, RunningEngine, startWithBusybox, type Engine } from "../tests/support/engines.js";
import { created } from "./durable.js";
import { HANDS } from "./hands.js";
import { median, timed, under, type Answer, type Sizes } from "./question.js";

/** For the largest number of containers. */
const GOAL = under(3000, "ms");

/** Only for our engine: the reference takes minutes to create this many. */
export async function restart({ recorded, longRounds }: Sizes): Promise<Answer[]> {
  const running = new RunningEngine(linux(), await startWithBusybox(linux()));
  const answers: Answer[] = [];
  try {
    for (const [at, count] of recorded.entries()) {
      await created(running, count - (recorded[at - 1] ?? 0), HANDS);
      const times: number[] = [];
      for (let i = 0; i < longRounds; i += 1) times.push(await timed(() => restarted(running)));
      const question = `kill -9, start, ping and list with ${count} containers`;
      const goal = at === recorded.length - 1 ? { goal: GOAL } : {};
      answers.push({ question, unit: "ms", figures: { linux: median(times) }, ...goal });
    }
  } finally {
    // Its containers never ran, so they need not be removed one by one.
    await running.daemon.end("SIGKILL");
    await running.daemon.close();
  }
  return answers;
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
