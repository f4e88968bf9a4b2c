// How much memory do all processes of an engine hold, idle and for each running container? PSS: shared pages are split
// among those who share them.
import { readdirSync, readFileSync } from "node:fs";
import { pause } from "../tests/support/commands.js";
import type { RunningEngine } from "../tests/support/engines.js";
import { atMost, type Answer, type Sizes } from "./question.js";

/** To be asked first: the engines must be fresh. */
export async function memory(engines: readonly RunningEngine[], sizes: Sizes): Promise<Answer[]> {
  await pause(sizes.idleMs);
  const idle = Object.fromEntries(engines.map((engine) => [engine.kind, mebibytesOf(engine)]));
  const perContainer: Record<string, number> = {};
  for (const engine of engines) {
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
      note: `${sizes.idleMs / 1000} s after the start`,
    },
    {
      question: "memory per running container",
      unit: "MiB",
      figures: perContainer,
      note: `supervisors included, the container's own process not; of ${sizes.containers} containers`,
    },
  ];
}

function mebibytesOf(engine: RunningEngine): number {
  const kibibytes = processesOf(engine).map((pid) =>
    Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0),
  );
  return kibibytes.reduce((sum, one) => sum + one, 0) / 1024;
}

/** The daemon, what descends from it, and what names its directories: supervisors are nobody's children. */
function processesOf(engine: RunningEngine): number[] {
  const pids = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  const parents = new Map(
    pids.map((pid) => [pid, Number(/^PPid:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0)]),
  );
  const { root } = engine.daemon.directories;
  const named = pids.filter((pid) => pid !== process.pid && read(`/proc/${pid}/cmdline`).includes(root));
  const own = new Set([engine.daemon.pid()]);
  for (let grown = true; grown;) {
    grown = false;
    for (const [pid, parent] of parents) {
      if (!own.has(pid) && own.has(parent)) grown = own.add(pid) !== undefined;
    }
  }
  return [...new Set([...own, ...named])];
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
