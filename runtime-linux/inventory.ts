// What became of the launches of an earlier instance, however it ended.

import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { engine } from "../hosts/host.js";
import { namesIn } from "./directories.js";
import type { Surroundings } from "./launch.js";
import { findNaming, isSupervisor, killNaming, type Naming } from "./naming.js";
import { parseRunName, type Paths } from "./paths.js";
import { processStat, Run, type FirstProcess } from "./run.js";

/** A run whose supervisor lives. */
export interface Running {
  run: Run;
  supervisor: Pick<FirstProcess, "pid" | "startTicks">;
}

/** Calls `running` for every run that goes on. What was made but not started, or lost, is killed. */
export async function takeInventory(
  at: Pick<Surroundings, "paths" | "kernel" | "cgroups" | "conmon">,
  running: (found: Running) => void,
): Promise<engine.FoundProcess[]> {
  const naming = findNaming();
  const runs = namesIn(at.paths.live()).flatMap((container) =>
    namesIn(at.paths.runs(container)).map((number) => new Run(at.paths, container, Number(number))),
  );
  const found: engine.FoundProcess[] = [];
  for (const run of runs) {
    const state = await examine(run, naming.get(run.name) ?? [], at, running);
    found.push({ container: run.container, run: run.number, state });
  }
  sweep(at.paths);
  return found;
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
  killNaming(run, at);
  await at.cgroups.kill(run.container);
  if (!isStarted) return { tag: "unstarted" };
  // It may have come to its end between the two looks.
  const late = run.exit();
  return late ? { tag: "exited", val: late } : { tag: "lost" };
}

/** Exit codes and runtime state of runs that were cleared: written by who was killed a moment too late. */
function sweep(paths: Paths): void {
  const runtimes = namesIn(paths.runtime("")).map((name) => paths.runtime(name));
  for (const directory of [paths.exits(), ...runtimes])
    for (const name of namesIn(directory)) {
      const run = parseRunName(name);
      if (run && !existsSync(paths.run(run.container, run.run)))
        rmSync(join(directory, name), { recursive: true, force: true });
    }
}
