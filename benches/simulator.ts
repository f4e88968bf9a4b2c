// How fast does the simulator test the core, in this program on one processor?
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT } from "../tests/support/engines.js";
import { prepareFuzz } from "../tests/simulator/clients/fuzzed.js";
import { playSeed } from "../tests/simulator/play.js";
import { round, type Answer, type Sizes } from "./question.js";

/** Reports processor time, because elapsed time depends on other work on the machine. */
export async function simulator({ seeds, steps: length }: Sizes): Promise<Answer[]> {
  await prepareFuzz(pathToFileURL(join(ROOT, "tests/swagger/swagger.tar.br")));
  // Warm-up, so that the platform has compiled its code.
  for (let seed = 1; seed <= Math.floor(seeds / 10); seed += 1) await playSeed(seed, length);
  const before = process.cpuUsage();
  let [steps, crashes] = [0, 0];
  for (let seed = 1; seed <= seeds; seed += 1) {
    const played = await playSeed(seed, length);
    if (played.breach !== null) throw played.breach;
    steps += played.steps;
    crashes += played.crashes;
  }
  const { user, system } = process.cpuUsage(before);
  const seconds = (user + system) / 1e6;
  return [
    {
      ...{ question: "steps of the simulator per second", unit: "steps/s", figures: { core: steps / seconds } },
      note: `of the core, all invariants held against each; what brings a story to rest is not counted`,
    },
    {
      ...{ question: `seeds of ${length} steps per minute, on one core`, unit: "seeds/min" },
      figures: { core: (seeds / seconds) * 60 },
      note: `${seeds} seeds, ${round(crashes / seeds)} crashes in each`,
    },
  ];
}
