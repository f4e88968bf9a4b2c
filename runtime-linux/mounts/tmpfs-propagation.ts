// How what is mounted in a container's tmpfs spreads (mount_namespaces(7)). crun makes all mounts private once they stand,
// whatever their options say; so each is made what it is to be after that, and before the first process runs.

import { MS_SHARED, MS_UNBINDABLE, type Kernel } from "../kernel.js";
import { insideOf } from "./mount-namespace.js";

interface Mount {
  destination: string;
  type?: string;
  options?: readonly string[];
}

/** Those of a created container, which process `pid` has. Throws what the kernel says. */
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

/** Nothing is mounted in them yet. One that only receives has nobody to receive from: it is private. */
const FLAGS: Record<string, number> = {
  shared: MS_SHARED,
  rshared: MS_SHARED,
  unbindable: MS_UNBINDABLE,
  runbindable: MS_UNBINDABLE,
};
