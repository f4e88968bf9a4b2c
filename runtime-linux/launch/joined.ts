// Namespaces of another container, by its running process.

import { noSuch } from "../../hosts/shared/failure.js";
import { namesIn } from "../directories.js";
import type { Paths } from "../paths.js";
import { isAlive, Run, type FirstProcess } from "../ends/run.js";

/** Names of files in /proc/PID/ns by the type of a namespace in a spec. */
const FILES: Readonly<Record<string, string>> = { pid: "pid", ipc: "ipc", network: "net" };

/** Path of the namespace that `pid:CONTAINER`, `ipc:CONTAINER` or `network:CONTAINER` stands for; undefined for others. */
export function joinedNamespace(name: string, paths: Paths): string | undefined {
  const [, type = "", container] = /^(pid|ipc|network):([0-9a-f]{64})$/.exec(name) ?? [];
  return container && `/proc/${runningOf(container, paths).process.pid}/ns/${FILES[type]}`;
}

/** The run of a container that goes on, and its first process. */
export function runningOf(container: string, paths: Paths): { run: Run; process: FirstProcess } {
  for (const run of runsOf(container, paths)) {
    const process = run.process();
    if (process && isAlive(process)) return { run, process };
  }
  throw noSuch("run", container);
}

function runsOf(container: string, paths: Paths): Run[] {
  return namesIn(paths.runs(container)).map((number) => new Run(paths, container, Number(number)));
}
