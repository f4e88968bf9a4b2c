// Finds out what became of an earlier instance's launches, however that instance ended.

import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { engine } from "../../hosts/shared/index.js";
import { namesIn } from "../directories.js";
import { killRun } from "./kill-run.js";
import type { Surroundings } from "../launch/surroundings.js";
import { MemoryKills } from "../cgroups/memory-kills.js";
import { findNaming, isSupervisor, type Naming } from "./processes-of-run.js";
import { parseRunName, parseUnfinished, type Paths } from "../paths.js";
import { processStat, Run, type FirstProcess } from "./run.js";
import type { Swept } from "../swept.js";

/** A run whose supervisor is alive. */
export interface Running {
  run: Run;
  supervisor: Pick<FirstProcess, "pid" | "startTicks">;
}

/** Calls `running` for every run that is still running. Kills runs that were made but not started, and lost ones. */
export async function takeInventory(
  at: Pick<Surroundings, "paths" | "kernel" | "cgroups" | "conmon">,
  swept: Swept,
  running: (found: Running) => void,
): Promise<engine.FoundProcess[]> {
  const naming = findNaming();
  const memory = new MemoryKills(at.cgroups);
  const runs = [...runsIn(at.paths), ...strayRuns(naming, at)];
  const found: engine.FoundProcess[] = [];
  for (const run of runs) {
    const memoryKills = memory.count(run); // counted first, because the group may be removed now
    const state = await examine(run, naming.get(run.name) ?? [], at, running);
    found.push({ container: run.container, run: run.number, state, memoryKills });
  }
  await sweepGroups(new Set(runs.map(({ container }) => container)), at, swept);
  sweep(at.paths, swept);
  return found;
}

function runsIn(paths: Paths): Run[] {
  return namesIn(paths.live()).flatMap((container) =>
    namesIn(paths.runs(container)).map((number) => new Run(paths, container, Number(number))),
  );
}

/** Runs of which only a supervisor is left. It belongs to this engine if its arguments name our exec root. */
function strayRuns(naming: Map<string, Naming[]>, { paths, conmon }: Pick<Surroundings, "paths" | "conmon">): Run[] {
  const isOurs = (one: Naming) => isSupervisor(one, conmon) && one.line.includes(paths.exits());
  return [...naming].flatMap(([name, processes]) => {
    const parsed = parseRunName(name);
    if (parsed === undefined || existsSync(paths.run(parsed.container, parsed.run))) return [];
    return processes.some(isOurs) ? [new Run(paths, parsed.container, parsed.run)] : [];
  });
}

/** Kills and removes control groups of containers that have no run. */
async function sweepGroups(
  known: ReadonlySet<string>,
  { cgroups }: Pick<Surroundings, "cgroups">,
  swept: Swept,
): Promise<void> {
  for (const container of cgroups.containers()) {
    if (known.has(container)) continue;
    swept(`control group of container ${container}`, "there is no run in it");
    await cgroups.kill(container);
    await cgroups.remove(container);
  }
}

async function examine(
  run: Run,
  naming: readonly Naming[],
  at: Pick<Surroundings, "kernel" | "cgroups" | "conmon">,
  running: (found: Running) => void,
): Promise<engine.ProcessState> {
  const [note, process] = [run.note(), run.process()];
  const isStarted = note !== undefined && process !== undefined && run.isStarted(note);
  const exit = run.exit();
  if (isStarted && exit) return { tag: "exited", val: exit };
  const supervisor = naming.find((one) => isSupervisor(one, at.conmon));
  const stat = supervisor && processStat(supervisor.pid);
  if (isStarted && supervisor && stat) {
    running({ run, supervisor: { pid: supervisor.pid, startTicks: stat.startTicks } });
    return { tag: "running", val: { pid: process.pid, at: BigInt(process.at) } };
  }
  await killRun(run, at);
  if (!isStarted) return { tag: "unstarted" };
  // It may have ended between the two looks.
  const late = run.exit();
  return late ? { tag: "exited", val: late } : { tag: "lost" };
}

/**
 * Removes exit codes and runtime state of runs that are gone already: a process may have written them just before it
 * was killed.
 */
function sweep(paths: Paths, swept: Swept): void {
  const runtimes = namesIn(paths.runtime("")).map((name) => paths.runtime(name));
  for (const directory of [paths.exits(), ...runtimes])
    for (const name of namesIn(directory)) {
      const run = parseRunName(parseUnfinished(name) ?? name);
      if (!run || existsSync(paths.run(run.container, run.run))) continue;
      swept(join(directory, name), `run ${run.run} of container ${run.container} was cleared away before`);
      rmSync(join(directory, name), { recursive: true, force: true });
    }
}
