// Makes the places where a container's mounts will be, as far as they are missing: directories and files that are root's,
// with mode 0755, as with runc. crun makes directories with mode 1755. In the container's own files they stay, so that a
// commit or a build has them.

import { closeSync, constants, openSync, statSync } from "node:fs";
import { HostFailure } from "../../hosts/shared/index.js";
import { bytesOf } from "../../hosts/streams/tar/index.js";
import { View } from "../content/files/view.js";
import { O_PATH, type Kernel } from "../kernel.js";

export interface MountPoint {
  /** The container's own files, or what is mounted there before: a directory of the machine. */
  root: string;
  /** Below it, without links. */
  path: string;
  /** Of a bind; null for other mounts, which are directories. */
  source: string | null;
}

/** What cannot be made is left to the runtime, which says why. No link leads out of the root. */
export function makePoints(points: readonly MountPoint[], kernel: Kernel): void {
  for (const point of points) {
    try {
      makePoint(point, kernel);
    } catch (error) {
      if (!(error instanceof HostFailure) && !("errno" in (error as NodeJS.ErrnoException))) throw error;
    }
  }
}

function makePoint({ root, path, source }: MountPoint, kernel: Kernel): void {
  const view = new View(kernel, () => undefined, [openSync(root, O_PATH | constants.O_DIRECTORY)]);
  try {
    if (isThere(view, bytesOf(path))) return;
    // Only now: a file system may be mounted there whose server does not answer. If there is nothing, nothing is made: a
    // directory would be in the way if there is a file the next time.
    const isDirectory = source === null || statSync(source).isDirectory();
    closeSync(view.make(bytesOf(path), isDirectory, "mkdir"));
  } finally {
    view.close();
  }
}

function isThere(view: View, path: string): boolean {
  try {
    closeSync(view.open(path, O_PATH));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return false;
  }
}
