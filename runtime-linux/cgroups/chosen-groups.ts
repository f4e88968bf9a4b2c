// Control groups below a parent that the client chose. A file beside the container's mount names the group for as long
// as anything of the container's last run exists, so that a restarted engine finds it.

import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Paths } from "../paths.js";

/**
 * `wanted` is `linux.cgroupsPath` as the core writes it. An absolute path is the client's choice; otherwise we choose.
 */
export function chooseGroup(paths: Paths, container: string, wanted = ""): string {
  if (!wanted.startsWith("/")) return paths.cgroup(container);
  writeFileSync(fileOf(paths, container), wanted);
  return wanted;
}

/**
 * The container's group, below the root of every hierarchy. A file that a full disk or a crash cut short could name
 * another group, or the root itself. Other processes live there, and they must not be killed. Such a file is ignored:
 * the group was not made yet.
 */
export function groupOf(paths: Paths, container: string): string {
  const file = fileOf(paths, container);
  const chosen = existsSync(file) ? readFileSync(file, "utf8") : "";
  return chosen.endsWith(`/${container}`) ? chosen : paths.cgroup(container);
}

/** Call this once the group is gone. */
export function forgetGroup(paths: Paths, container: string): void {
  rmSync(fileOf(paths, container), { force: true });
}

function fileOf(paths: Paths, container: string): string {
  return join(paths.liveContainer(container), "cgroup");
}
