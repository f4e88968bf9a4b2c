// What a run's supervisor is told through its control fifo: the size of the terminal, and to begin a new log file.

import { closeSync, constants, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises";
import { HostFailure, noSuch } from "../../hosts/shared/failure.js";
import type { Kernel } from "../kernel.js";
import type { Run } from "../ends/run.js";

/**
 * Cells; `no-such` when no supervisor listens. Resolves when it has taken that in: what a client sends next must not
 * be read by a program that still sees the size before.
 */
export async function resizeTerminal(run: Run, rows: number, columns: number, kernel: Kernel): Promise<void> {
  const control = openControl(run);
  try {
    writeSync(control, `1 ${rows} ${columns}\n`);
    for (let tries = 0; tries < MOST_TRIES && kernel.readable(control) > 0; tries++) {
      await (tries < SOON ? turn() : sleep(1));
    }
  } finally {
    closeSync(control);
  }
}

/**
 * Has the supervisor begin a new log file. False when it is gone, or has yet to read what it was told before: of two new
 * files in a row nobody would see the first.
 */
export function renewLog(run: Run, kernel: Pick<Kernel, "readable">): boolean {
  try {
    return beginLog(run, kernel);
  } catch (error) {
    if (error instanceof HostFailure) return false;
    throw error;
  }
}

function beginLog(run: Run, kernel: Pick<Kernel, "readable">): boolean {
  const control = openControl(run);
  try {
    if (kernel.readable(control) > 0) return false;
    writeSync(control, "2 0 0\n");
    return true;
  } finally {
    closeSync(control);
  }
}

/** Non-blocking: without a supervisor nobody reads, which is ENXIO. */
function openControl(run: Run): number {
  try {
    return openSync(join(run.directory, "ctl"), constants.O_WRONLY | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === "ENXIO" || code === "ENOENT" ? noSuch("process") : error;
  }
}

/** As a rule it reads at once. */
const SOON = 50;
/** Of a millisecond and more, save the first: a supervisor that does not read by then will not soon. */
const MOST_TRIES = 500;
