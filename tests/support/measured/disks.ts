// The disks of this machine.
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** The whole disk, not the partition, that holds a directory's file system; null if there is none. */
export function diskBelow(directory: string): string | null {
  const { dev } = statSync(directory);
  // Like glibc's gnu_dev_major, for the numbers that Linux gives to disks.
  const place = `/sys/dev/block/${(dev >> 8) & 0xfff}:${(dev & 0xff) | ((dev >> 12) & 0xfff00)}`;
  if (!existsSync(place)) return null;
  const own = realpathSync(place);
  const found = existsSync(join(own, "partition")) ? dirname(own) : own;
  const name = /^DEVNAME=(.*)$/m.exec(readFileSync(join(found, "uevent"), "utf8"))?.[1] ?? basename(found);
  return `/dev/${name}`;
}
