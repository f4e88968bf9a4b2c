// Counts what the engine's own process has open and running.

import { readdirSync } from "node:fs";
import { HostFailure } from "../hosts/shared/index.js";
import type { engine } from "../hosts/shared/index.js";

/** Tasks are what keeps Node's event loop alive: connections, timers, children, work on its threads. */
export function ownProcess(): engine.OwnProcess {
  return { descriptors: openDescriptors(), tasks: process.getActiveResourcesInfo().length };
}

function openDescriptors(): number {
  try {
    return readdirSync("/proc/self/fd").length - 1; // without the descriptor that reads the list
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    throw new HostFailure({ tag: "call", val: { call: "open", path: "/proc/self/fd", inside: false, error: code } });
  }
}
