// What a run's supervisor is told through its control fifo: the size of the terminal, and to begin a new log file.

import { closeSync, constants, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { HostFailure } from "../hosts/failure.js";
import type { Run } from "./run.js";

/** Cells; "not-found" when no supervisor listens. */
export function resizeTerminal(run: Run, rows: number, columns: number): void {
  tell(run, `1 ${rows} ${columns}\n`);
}

/** Has the supervisor begin a new log file. False when it is gone. */
export function renewLog(run: Run): boolean {
  try {
    tell(run, "2 0 0\n");
    return true;
  } catch (error) {
    if (error instanceof HostFailure) return false;
    throw error;
  }
}

function tell(run: Run, line: string): void {
  const control = openControl(run);
  try {
    writeSync(control, line);
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
    throw code === "ENXIO" || code === "ENOENT" ? new HostFailure("not-found", "no such process") : error;
  }
}
