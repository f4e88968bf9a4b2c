// What processes have open: what is left open of a daemon's is told with who has the other end of it.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { commandLineOf, pids, stateOf } from "./processes.js";

export interface OpenFile {
  readonly fd: number;
  /** As /proc/PID/fd has it: a path, or a kind and a number, `pipe:[17]`. */
  readonly target: string;
}

/** Those of a process; none of one that has ended. */
export function openFiles(pid: number): OpenFile[] {
  return namesIn(`/proc/${pid}/fd`).flatMap((name) => {
    try {
      return [{ fd: Number(name), target: readlinkSync(`/proc/${pid}/fd/${name}`) }];
    } catch {
      return []; // closed meanwhile
    }
  });
}

/** What it is, numbers left out: those of pipes and sockets, and of a recorder's segments, which begin with each start. */
export function kindOf({ target }: OpenFile): string {
  return target.replace(/:\[\d+\]$/, "").replace(/segment-\d+/, "segment");
}

/** For who has to find out why it is open: which end of it, and who else has the same pipe or socket. */
export function described(pid: number, { fd, target }: OpenFile): string {
  const said = `${fd} ${accessOf(pid, fd)} ${target}`;
  if (!/^(pipe|socket):/.test(target)) return said;
  const others = pids().flatMap((other) =>
    openFiles(other)
      .filter((file) => file.target === target && (other !== pid || file.fd !== fd))
      .map((file) => `${other} (${nameOf(other)}) as ${file.fd} ${accessOf(other, file.fd)}`),
  );
  return `${said}, which ${others.join(", ") || "nobody else"} has open`;
}

function accessOf(pid: number, fd: number): string {
  try {
    const info = readFileSync(`/proc/${pid}/fdinfo/${fd}`, "utf8");
    const mode = Number.parseInt(/^flags:\s+(\d+)/m.exec(info)?.[1] ?? "", 8) & 3;
    return ["to read", "to write", "to read and write"][mode] ?? "";
  } catch {
    return "(closed)";
  }
}

function nameOf(pid: number): string {
  return `${commandLineOf(pid).slice(0, 200) || "no command line"}, ${stateOf(pid)}`;
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
