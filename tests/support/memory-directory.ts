// Where test engines can keep their data: in a file system in memory, where flushes cost nothing.
import { readFileSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";

const IN_MEMORY = "/dev/shm";
/**
 * With any of these options the file system is unsuitable: an engine makes devices in its layers and runs programs from
 * them.
 */
const UNFIT: readonly string[] = ["ro", "noexec", "nodev"];
/** All engines of a whole run used a tenth of one GiB. */
const FREE_AT_LEAST = 4 * 2 ** 30;

/** The directory for temporary files if there is no such file system, or little room. */
export function memoryDirectory(): string {
  const [, , type, options = ""] = mountOf(IN_MEMORY) ?? [];
  if (type !== "tmpfs" || options.split(",").some((option) => UNFIT.includes(option))) return tmpdir();
  const { bavail, bsize } = statfsSync(IN_MEMORY);
  return Math.min(bavail * bsize, process.availableMemory()) < FREE_AT_LEAST ? tmpdir() : IN_MEMORY;
}

/** The fields of its line in /proc/mounts. If there are several, the last mount is on top. */
function mountOf(path: string): string[] | undefined {
  if (process.platform !== "linux") return undefined;
  const lines = readFileSync("/proc/mounts", "utf8").split("\n");
  return lines.map((line) => line.split(" ")).findLast(([, place]) => place === path);
}
