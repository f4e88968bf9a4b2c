// The disks of this machine.
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** The disk, not the part of one, that the file system of a directory is on; null where it is on none of its own. */
export function diskBelow(directory: string): string | null {
  const { dev } = statSync(directory);
  // As glibc's gnu_dev_major has it, for numbers as Linux gives them to disks.
  const place = `/sys/dev/block/${(dev >> 8) & 0xfff}:${(dev & 0xff) | ((dev >> 12) & 0xfff00)}`;
  if (!existsSync(place)) return null;
  const own = realpathSync(place);
  const found = existsSync(join(own, "partition")) ? dirname(own) : own;
  const name = /^DEVNAME=(.*)$/m.exec(readFileSync(join(found, "uevent"), "utf8"))?.[1] ?? basename(found);
  return `/dev/${name}`;
}
