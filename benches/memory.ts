// How much memory do all processes of an engine use, idle and for each running container? PSS: shared pages are divided
// among the processes that share them.
import { pause } from "../tests/support/commands.js";
import { pssKibibytes, rssKibibytes } from "../tests/support/processes.js";
import type { RunningEngine } from "../tests/support/engines.js";
import { processesOf } from "./processes-of.js";
import { atMost, round, type Answer, type Sizes } from "./question.js";

/** Must run first, on fresh engines. */
export async function memory(engines: readonly RunningEngine[], sizes: Sizes): Promise<Answer[]> {
  await pause(sizes.idleMs);
  const idle = Object.fromEntries(engines.map((engine) => [engine.kind, mebibytesOf(engine)]));
  const alone = engines.map((engine) => `${engine.kind} ${round(mebibytesOf(engine, rssKibibytes))}`).join(", ");
  const perContainer: Record<string, number> = {};
  for (const engine of engines) {
    // An engine at rest has given back what it needs for any work: that is no memory of a container.
    await engine.remove(await engine.running({ Cmd: ["sleep", "100000"] }));
    const before = mebibytesOf(engine);
    const ids: string[] = [];
    for (let i = 0; i < sizes.containers; i += 1) ids.push(await engine.running({ Cmd: ["sleep", "100000"] }));
    await pause(Math.min(sizes.idleMs, 5000));
    perContainer[engine.kind] = (mebibytesOf(engine) - before) / sizes.containers;
    for (const id of ids) await engine.remove(id);
  }
  return [
    {
      question: "idle memory of all engine processes",
      unit: "MiB",
      figures: idle,
      goal: atMost(1),
      note: `${sizes.idleMs / 1000} s after the start; resident, shared pages in full: ${alone}`,
    },
    {
      question: "memory per running container",
      unit: "MiB",
      figures: perContainer,
      goal: atMost(1 / 2),
      note: `supervisors included, the container's own process not; of ${sizes.containers} containers`,
    },
  ];
}

export function mebibytesOf(engine: RunningEngine, kibibytesOf = pssKibibytes): number {
  return processesOf(engine).reduce((sum, pid) => sum + kibibytesOf(pid), 0) / 1024;
}
