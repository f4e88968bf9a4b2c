// Facts about the file systems below overlayfs, as dockerd lists them.

import { readFileSync, statfsSync } from "node:fs";
import { join } from "node:path";
import type { Kernel } from "../kernel.js";

/** Names and values, in dockerd's order. `data` exists; `root` is where /proc and /sys are. */
export function storageStatus(kernel: Kernel, data: string, root: string): [string, string][] {
  const parameter = (name: string): boolean => readOr(join(root, "sys/module/overlay/parameters", name)) === "Y";
  const redirects = parameter("redirect_dir");
  const metacopy = parameter("metacopy");
  return [
    ["Backing Filesystem", FILE_SYSTEMS[statfsSync(data).type] ?? "<unknown>"],
    ["Supports d_type", String(kernel.hasEntryTypes(data))],
    ["Using metacopy", String(metacopy)],
    // With either feature, an upper directory alone does not show what a container has written.
    ["Native Overlay Diff", String(!redirects && !metacopy)],
    ["userxattr", String(isUserNamespace(readOr(join(root, "proc/self/uid_map"))))],
  ];
}

/** dockerd's names by magic number (statfs(2)). */
const FILE_SYSTEMS: Record<number, string> = {
  0xef53: "extfs",
  0x58465342: "xfs",
  0x9123683e: "btrfs",
  0xf2f52010: "f2fs",
  0x2fc12fc1: "zfs",
  0x01021994: "tmpfs",
  0x858458f6: "ramfs",
  0x794c7630: "overlayfs",
  0x6969: "nfs",
  0x73717368: "squashfs",
  0x65735546: "fuse",
};

/** The initial user namespace maps all ids to themselves. */
function isUserNamespace(map: string): boolean {
  return !/^0 +0 +4294967295$/.test(map);
}

function readOr(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return "";
  }
}
