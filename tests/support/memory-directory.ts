// Where engines can live that keep nothing beyond a test run: below a file system in memory, whose flushes cost nothing.
import { readFileSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";

const IN_MEMORY = "/dev/shm";
/** With any of these no engine can live there: it makes devices in its layers, and runs what is in them. */
const UNFIT: readonly string[] = ["ro", "noexec", "nodev"];
/** All engines of a whole run were seen to take a tenth of one GiB. */
const FREE_AT_LEAST = 4 * 2 ** 30;

/** The directory for temporary files if there is no such file system, or little room. */
export function memoryDirectory(): string {
  const [, , type, options = ""] = mountOf(IN_MEMORY) ?? [];
  if (type !== "tmpfs" || options.split(",").some((option) => UNFIT.includes(option))) return tmpdir();
  const { bavail, bsize } = statfsSync(IN_MEMORY);
  return Math.min(bavail * bsize, process.availableMemory()) < FREE_AT_LEAST ? tmpdir() : IN_MEMORY;
}

/** The fields of its line in /proc/mounts: of several, the last one lies on top. */
function mountOf(path: string): string[] | undefined {
  if (process.platform !== "linux") return undefined;
  const lines = readFileSync("/proc/mounts", "utf8").split("\n");
  return lines.map((line) => line.split(" ")).findLast(([, place]) => place === path);
}
