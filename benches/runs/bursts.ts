// What is left of bursts of work: how much memory do all processes of an engine use a minute after many runs, with many
// containers on record, and a minute after still more were created and removed? How quick is it meanwhile?
import { pause } from "../../tests/support/commands.js";
import type { RunningEngine } from "../../tests/support/engines.js";
import { runOnce } from "../containers.js";
import { created, removed } from "../durable.js";
import { byHands, HANDS } from "../hands.js";
import { mebibytesOf } from "../memory.js";
import { mainThreadSeconds } from "../processes-of.js";
import { atLeast, atMost, timed, under, type Answer, type Goal, type Sizes } from "../question.js";
import { requestBytes } from "../wire.js";

const RUN = requestBytes("POST", "/containers/create", { Image: "busybox", Cmd: ["true"] });

type Measured = Record<string, number>;

export async function bursts(engines: readonly RunningEngine[], sizes: Sizes): Promise<Answer[]> {
  const [runs, thread, removals]: [Measured, Measured, Measured] = [{}, {}, {}];
  const [afterRuns, recorded, afterRemovals]: [Measured, Measured, Measured] = [{}, {}, {}];
  const [few = 0, many = 0] = sizes.recorded.slice(-2);
  for (const engine of engines) {
    const { kind } = engine;
    const seconds = mainThreadSeconds(engine);
    runs[kind] = perSecond(sizes.runs, await timed(() => byHands(engine, sizes.runs, (wire) => runOnce(wire, RUN))));
    thread[kind] = (1000 * (mainThreadSeconds(engine) - seconds)) / sizes.runs;
    afterRuns[kind] = await memoryLater(engine, sizes);
    recorded[kind] = await withRecords(engine, few, sizes);
    const ids = await created(engine, many, HANDS);
    removals[kind] = perSecond(many, await timed(() => removed(engine, ids)));
    afterRemovals[kind] = await memoryLater(engine, sizes);
  }
  const memory = (question: string, figures: Measured, mebibytes: number): Answer => {
    const note = `of all processes, ${sizes.afterBurstMs / 1000} s later`;
    return { question: `memory ${question}`, unit: "MiB", figures, goal: both(atMost(1), mebibytes), note };
  };
  const clients = `by ${HANDS} clients at once`;
  return [
    { question: `runs of true on a bridge ${clients}`, unit: "/s", figures: runs, goal: atLeast(4) },
    {
      question: "processor time of the engine's main thread for each of them",
      unit: "ms",
      figures: { linux: thread["linux"] ?? Number.NaN },
      goal: under(8, "ms"),
    },
    { question: `removals of ${many} created containers ${clients}`, unit: "/s", figures: removals, goal: atLeast(2) },
    memory(`after ${sizes.runs} runs`, afterRuns, 60),
    memory(`with ${few} containers on record`, recorded, 80),
    memory(`after ${many} were created and removed`, afterRemovals, 60),
  ];
}

async function withRecords(engine: RunningEngine, count: number, sizes: Sizes): Promise<number> {
  const ids = await created(engine, count, HANDS);
  const mebibytes = await memoryLater(engine, sizes);
  await removed(engine, ids);
  return mebibytes;
}

async function memoryLater(engine: RunningEngine, sizes: Sizes): Promise<number> {
  await pause(sizes.afterBurstMs);
  return mebibytesOf(engine);
}

function perSecond(count: number, ms: number): number {
  return (1000 * count) / ms;
}

/** No more than the reference, and no more than `mebibytes`. */
function both(goal: Goal, mebibytes: number): Goal {
  const own = under(mebibytes, "MiB");
  const reached: Goal["reached"] = (ours, reference) => goal.reached(ours, reference) && own.reached(ours, reference);
  return { says: `${goal.says}, ${own.says}`, reached };
}
