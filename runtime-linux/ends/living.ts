// Commands for a run while it is alive: send a signal, take a sample, change limits, freeze and thaw.

import { noSuch, withRates } from "../../hosts/shared/index.js";
import type { HostFailure, engine, processes } from "../../hosts/shared/index.js";
import { numberOf, type Resources } from "../launch/devices.js";
import type { Surroundings } from "../launch/surroundings.js";
import { setLimits } from "../cgroups/limits.js";
import { isAlive, type FirstProcess, type Run } from "./run.js";
import type { Sampler } from "../sample/sample.js";

/** Fails with `no-such` process if it has ended, even in the middle of this call. */
export function signalRun(run: Run, number: number, { kernel }: Surroundings): void {
  const { pid } = living(run);
  try {
    kernel.kill(pid, number);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    throw gone();
  }
}

/** Its current usage. Fails with `no-such` process if it has ended. */
export function sampleRun(run: Run, sampler: Sampler): engine.Sample {
  return sampler.sample(run.container, living(run).pid);
}

/** Sets limits of its control group. Fails with `no-such` process if it has ended. */
export async function limitRun(run: Run, { resources, rates }: processes.Limit, at: Surroundings): Promise<void> {
  await whileItLives(run, async () => {
    const given = JSON.parse(Buffer.from(resources).toString()) as Resources;
    const blockIO = withRates(given.blockIO, rates, numberOf);
    await setLimits(at, run.container, { ...given, ...(blockIO && { blockIO }) });
  });
}

/** Freezes all its processes. Fails with `no-such` process if it has ended. */
export async function freezeRun(run: Run, { cgroups }: Pick<Surroundings, "cgroups">): Promise<void> {
  await whileItLives(run, () => cgroups.freeze(run.container));
}

/** Thaws them. Fails with `no-such` process if it has ended. */
export async function thawRun(run: Run, { cgroups }: Pick<Surroundings, "cgroups">): Promise<void> {
  await whileItLives(run, () => cgroups.thaw(run.container));
}

/**
 * A run's control group disappears along with it. So an error after the end of the run only means that the run has
 * ended.
 */
async function whileItLives(run: Run, act: () => Promise<void>): Promise<void> {
  const process = living(run);
  try {
    await act();
  } catch (error) {
    throw isAlive(process) ? error : gone();
  }
}

function living(run: Run): FirstProcess {
  const process = run.process();
  if (!process || !isAlive(process)) throw gone();
  return process;
}

function gone(): HostFailure {
  return noSuch("process");
}
