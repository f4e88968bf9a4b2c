// Namespaces of another container, found through its running process.

import { noSuch } from "../../hosts/shared/index.js";
import { namesIn } from "../directories.js";
import type { Paths } from "../paths.js";
import { isAlive, Run, type FirstProcess } from "../ends/run.js";

/** File names in /proc/PID/ns by namespace types of the spec. */
const FILES: Readonly<Record<string, string>> = { pid: "pid", ipc: "ipc", network: "net" };

/** Path of the namespace for `pid:CONTAINER`, `ipc:CONTAINER` or `network:CONTAINER`; undefined for other names. */
export function joinedNamespace(name: string, paths: Paths): string | undefined {
  const [, type = "", container] = /^(pid|ipc|network):([0-9a-f]{64})$/.exec(name) ?? [];
  return container && `/proc/${runningOf(container, paths).process.pid}/ns/${FILES[type]}`;
}

/** The run of a running container, and its first process. */
export function runningOf(container: string, paths: Paths): { run: Run; process: FirstProcess } {
  const found = findRunning(container, paths);
  if (found === undefined) throw noSuch("run", container);
  return found;
}

/** The same; undefined if the container is not running. */
export function findRunning(container: string, paths: Paths): { run: Run; process: FirstProcess } | undefined {
  for (const run of runsOf(container, paths)) {
    const process = run.process();
    if (process && isAlive(process)) return { run, process };
  }
  return undefined;
}

function runsOf(container: string, paths: Paths): Run[] {
  return namesIn(paths.runs(container)).map((number) => new Run(paths, container, Number(number)));
}
