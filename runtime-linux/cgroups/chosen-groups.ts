// Control groups below a parent of the client's own. Which one a container has stands beside its mount as long as there
// is anything of its last run: engines come and go meanwhile.

import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Paths } from "../paths.js";

/** Of `linux.cgroupsPath` as the core writes it: an absolute path is the client's choice, anything else is left to us. */
export function chooseGroup(paths: Paths, container: string, wanted = ""): string {
  if (!wanted.startsWith("/")) return paths.cgroup(container);
  writeFileSync(fileOf(paths, container), wanted);
  return wanted;
}

/**
 * The container's group, below the root of every hierarchy. What a full disk or a crash has cut short names another group,
 * or the root itself, in which others are that must not be killed: nothing was made of it yet.
 */
export function groupOf(paths: Paths, container: string): string {
  const file = fileOf(paths, container);
  const chosen = existsSync(file) ? readFileSync(file, "utf8") : "";
  return chosen.endsWith(`/${container}`) ? chosen : paths.cgroup(container);
}

/** Its group is gone. */
export function forgetGroup(paths: Paths, container: string): void {
  rmSync(fileOf(paths, container), { force: true });
}

function fileOf(paths: Paths, container: string): string {
  return join(paths.liveContainer(container), "cgroup");
}
