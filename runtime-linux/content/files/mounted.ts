// Finds the mount of an open file (proc_pid_fdinfo(5)) and describes it (proc_pid_mountinfo(5)).

import { readFileSync } from "node:fs";

export interface Mounted {
  destination: string;
  readOnly: boolean;
}

/** The kernel's number of the mount. */
export function mountIdOf(fd: number): number {
  return Number(/^mnt_id:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "latin1"))?.[1]);
}

/** The mount as a process sees it; undefined if the process is gone. */
export function mountedAt(pid: number, id: number): Mounted | undefined {
  const fields = mountInfo(pid).find(([number]) => number === String(id));
  if (fields === undefined) return undefined;
  const options = [fields[5], fields.at(-1)].map((option = "") => option.split(","));
  return { destination: unescaped(fields[4] ?? "/"), readOnly: options.some((words) => words.includes("ro")) };
}

/** One line of the file. */
export interface MountLine {
  id: string;
  /** The id of its parent mount. */
  parent: string;
  point: string;
  /** Options of this mount alone. */
  options: string[];
  type: string;
}

/** The mounts that a process sees, in the kernel's order. */
export function mountsOf(pid: number): MountLine[] {
  return mountInfo(pid).flatMap((fields) => {
    const [id, parent, , , point, options] = fields;
    if (!id || !parent || point === undefined || options === undefined) return [];
    const type = fields[fields.indexOf("-") + 1] ?? "";
    return [{ id, parent, point: unescaped(point), options: options.split(","), type }];
  });
}

/** Mount points below a directory of our own process, in mount order. */
export function mountsBelow(directory: string): string[] {
  const points = mountInfo(process.pid).map((fields) => unescaped(fields[4] ?? ""));
  return points.filter((point) => point.startsWith(`${directory}/`));
}

/** Errors for a process that is gone, or of which only the exit code is left. */
const ENDED = new Set(["ENOENT", "ESRCH", "EINVAL"]);

function mountInfo(pid: number): string[][] {
  try {
    const lines = readFileSync(`/proc/${pid}/mountinfo`, "utf8").split("\n");
    return lines.map((line) => line.split(" "));
  } catch (error) {
    // Callers refuse requests by what they find here. So any other error must not look like an empty list.
    if (ENDED.has((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
}

/** Spaces, line ends and backslashes are written as octal numbers. */
function unescaped(path: string): string {
  return path.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}
