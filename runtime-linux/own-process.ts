// What the engine's own process has open and under way.

import { readdirSync } from "node:fs";
import { HostFailure } from "../hosts/shared/failure.js";
import type { engine } from "../hosts/shared/host.js";

/** Tasks are what keeps Node's event loop alive: connections, timers, children, work of its threads. */
export function ownProcess(): engine.OwnProcess {
  return { descriptors: openDescriptors(), tasks: process.getActiveResourcesInfo().length };
}

function openDescriptors(): number {
  try {
    return readdirSync("/proc/self/fd").length - 1; // the one that the list is read with is no more
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    throw new HostFailure({ tag: "call", val: { call: "open", path: "/proc/self/fd", inside: false, error: code } });
  }
}
