// The total size of a directory's files.

import { walk } from "./files/walk.js";

/** Counts files and links; a file with several names counts once. */
export async function bytesBelow(directory: string): Promise<bigint> {
  const seen = new Set<bigint>();
  let bytes = 0n;
  for await (const { stat } of walk(directory)) {
    if (!(stat.isFile() || stat.isSymbolicLink()) || seen.has(stat.ino)) continue;
    if (stat.nlink > 1n) seen.add(stat.ino);
    bytes += stat.size;
  }
  return bytes;
}
