// Kills a run: whoever works on it, and what it has running.

import { unmoved } from "../../hosts/shared/failure.js";
import { KILL_ROUNDS_MAX, pauseKilling } from "../cgroups/cgroups.js";
import type { Surroundings } from "../launch/surroundings.js";
import { killNaming } from "../launch/naming.js";
import { isAlive, type Run } from "./run.js";

const SIGKILL = 9;

/** All of a container's runs share one control group: once a later one is there, what is in the group is not this one's. */
export async function killRun(run: Run, at: Pick<Surroundings, "kernel" | "cgroups" | "conmon">): Promise<void> {
  killNaming(run, at);
  if (run.isLast()) await at.cgroups.kill(run.container);
  else await killFirst(run, at);
}

/** What else is in its pid namespace goes with it. */
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
