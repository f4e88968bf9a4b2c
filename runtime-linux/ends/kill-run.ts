// Kills a run: the programs that manage it and all its processes.

import { unmoved } from "../../hosts/shared/index.js";
import { KILL_ROUNDS_MAX, pauseKilling } from "../cgroups/cgroups.js";
import type { Surroundings } from "../launch/surroundings.js";
import { killNaming } from "./processes-of-run.js";
import { isAlive, type Run } from "./run.js";

const SIGKILL = 9;

/**
 * All runs of a container share one control group. Once there is a later run, the processes in the group belong to that
 * one.
 */
export async function killRun(run: Run, at: Pick<Surroundings, "kernel" | "cgroups" | "conmon">): Promise<void> {
  killNaming(run, at);
  if (run.isLast()) await at.cgroups.kill(run.container);
  else await killFirst(run, at);
}

/** The kernel then kills everything else in its pid namespace. */
async function killFirst(run: Run, { kernel }: Pick<Surroundings, "kernel">): Promise<void> {
  const process = run.process();
  for (let round = 0; process && isAlive(process); round++) {
    if (round === KILL_ROUNDS_MAX) throw unmoved("end", [process.pid]);
    try {
      kernel.kill(process.pid, SIGKILL);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
    await pauseKilling(round);
  }
}
