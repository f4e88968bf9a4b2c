// Facts about the file system below overlayfs.

import { readFileSync, statfsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import type { engine } from "../../hosts/shared/index.js";
import type { Kernel } from "../kernel.js";

/** `data` exists; `root` is where /proc and /sys are. */
export function describeStorage(kernel: Kernel, data: string, root: string): engine.Storage {
  const parameter = (name: string): boolean => readOr(join(root, "sys/module/overlay/parameters", name)) === "Y";
  const { type, blocks, bsize } = statfsSync(data);
  return {
    fileSystem: type,
    entryTypes: kernel.hasEntryTypes(data),
    metacopy: parameter("metacopy"),
    redirects: parameter("redirect_dir"),
    userNamespace: isUserNamespace(readOr(join(root, "proc/self/uid_map"))),
    size: BigInt(blocks) * BigInt(bsize),
  };
}

/** Bytes of its file system that the engine may use: what is reserved for others is not free. */
export async function freeSpace(data: string): Promise<bigint> {
  const { bavail, bsize } = await statfs(data);
  return BigInt(bavail) * BigInt(bsize);
}

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
