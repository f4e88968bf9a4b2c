// The open files of processes. A file that a daemon leaves open is reported with the process at its other end.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { commandLineOf, pids, stateOf } from "../processes.js";

export interface OpenFile {
  readonly fd: number;
  /** As in /proc/PID/fd: a path, or a type and a number, `pipe:[17]`. */
  readonly target: string;
}

/** The open files of a process; none if it has ended. */
export function openFiles(pid: number): OpenFile[] {
  return namesIn(`/proc/${pid}/fd`).flatMap((name) => {
    try {
      return [{ fd: Number(name), target: readlinkSync(`/proc/${pid}/fd/${name}`) }];
    } catch {
      return []; // closed meanwhile
    }
  });
}

/** The kind of file, without numbers of pipes, sockets and a recorder's segments, which change with each start. */
export function kindOf({ target }: OpenFile): string {
  return target.replace(/:\[\d+\]$/, "").replace(/segment-\d+/, "segment");
}

/** For debugging: which end of it this is, and which other processes have the same pipe or socket. */
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
