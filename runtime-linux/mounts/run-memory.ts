// The directory of a run whose spec has secrets is in memory that never goes to a disk, nor to a swap area (see
// `mountInMemory` in content/filesystems.ts). So is the state of the OCI runtime, which has a copy of the spec.

import { existsSync, mkdirSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { RAMFS_MAGIC } from "../content/filesystems.js";
import { namesIn, removeTree } from "../directories.js";
import type { Run } from "../ends/run.js";
import { MS_NODEV, MS_NOSUID, type Kernel } from "../kernel.js";
import { unmount } from "./own-mounts.js";

/** Call this before anything is written to the run's directory. */
export function keepInMemory(run: Run, kernel: Kernel): void {
  kernel.mount("ramfs", run.directory, "ramfs", MS_NOSUID | MS_NODEV, "mode=0700");
  mkdirSync(run.ownState, { mode: 0o700 });
}

/**
 * Nothing is left mounted below it. The files are removed first: who has a private copy of the machine's mounts, as a
 * container may, would keep them.
 */
export async function dropFromMemory(run: Run, kernel: Kernel): Promise<void> {
  const { directory } = run;
  if (!existsSync(directory) || statfsSync(directory).type !== RAMFS_MAGIC) return;
  for (const name of namesIn(directory)) await removeTree(join(directory, name));
  unmount(directory, kernel);
}
