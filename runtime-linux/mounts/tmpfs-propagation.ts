// Mount propagation of a container's tmpfs mounts (mount_namespaces(7)). crun makes all mounts private when they are
// done, whatever their options say. So the engine sets the propagation after that, and before the first process runs.

import { MS_SHARED, MS_UNBINDABLE, type Kernel } from "../kernel.js";
import { insideOf } from "./mount-namespace.js";

interface Mount {
  destination: string;
  type?: string;
  options?: readonly string[];
}

/** Sets it for a created container, whose process is `pid`. Throws the kernel's error. */
export function setPropagation(mounts: readonly Mount[], pid: number, kernel: Kernel): void {
  const wanted = mounts.flatMap(({ destination, type, options = [] }) => {
    const word = options.find((option) => option in FLAGS);
    return type === "tmpfs" && word !== undefined ? [{ destination, flags: FLAGS[word]! }] : [];
  });
  if (wanted.length === 0) return;
  insideOf(pid, kernel, () => {
    for (const { destination, flags } of wanted) kernel.mount("", destination, "", flags, "");
  });
}

/** Nothing is mounted in them yet. A slave tmpfs has no master to receive mounts from, so it is private. */
const FLAGS: Record<string, number> = {
  shared: MS_SHARED,
  rshared: MS_SHARED,
  unbindable: MS_UNBINDABLE,
  runbindable: MS_UNBINDABLE,
};
