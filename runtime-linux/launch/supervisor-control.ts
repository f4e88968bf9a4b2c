// Messages to a run's supervisor through its control fifo: the terminal's size, and the command to start a new log
// file.

import { closeSync, constants, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises";
import { HostFailure, noSuch } from "../../hosts/shared/index.js";
import type { Kernel } from "../kernel.js";
import type { Run } from "../ends/run.js";

/**
 * The size is in cells. Fails with `no-such` if no supervisor listens. Resolves when the supervisor has read the
 * message: a program must not read the client's next input while it still sees the old size.
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
 * Tells the supervisor to start a new log file. False if it is gone, or if it still has to read an earlier message:
 * with two new files in a row nobody would see the first.
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

/** Non-blocking: without a supervisor there is no reader, which gives ENXIO. */
function openControl(run: Run): number {
  try {
    return openSync(join(run.directory, "ctl"), constants.O_WRONLY | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === "ENXIO" || code === "ENOENT" ? noSuch("process") : error;
  }
}

/** The supervisor usually reads at once. */
const SOON = 50;
/**
 * Each takes a millisecond or more, except the first ones. A supervisor that has not read by then will not do so soon.
 */
const MOST_TRIES = 500;
