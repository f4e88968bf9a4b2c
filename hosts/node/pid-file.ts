// A file with the process id of its holder: one daemon for each pid file and for each data root.

import {
  linkSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";

export interface PidFile {
  /** Lets another process have it. */
  release(): void;
}

/**
 * Throws if a daemon that holds it is still running. Takes over the file of a killed one. `outlivesBoot`: a reboot does
 * not remove the file, so a second line tells this process from a later one with the same id.
 */
export function claimPidFile(file: string, outlivesBoot = false): PidFile {
  mkdirSync(dirname(file), { recursive: true, mode: 0o755 });
  const text = outlivesBoot ? `${process.pid}\n${identityOf(process.pid)}\n` : String(process.pid);
  if (!made(file, text)) {
    clearStale(file);
    // Another process that did the same was faster.
    if (!made(file, text)) throw held(file, read(file).split("\n", 1)[0]!);
  }
  return { release: () => rmSync(file, { force: true }) };
}

/** False if the file exists. It appears together with its text. */
function made(file: string, text: string): boolean {
  const draft = `${file}.${process.pid}`;
  write(draft, text);
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(draft);
  }
}

/**
 * A full disk must not keep the daemon from starting. Then the text becomes the target of a symbolic link, whose inode
 * has room for it. (An empty file would belong to nobody.)
 */
function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    rmSync(file, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOSPC" && code !== "EDQUOT") throw error;
    symlinkSync(text, file);
  }
}

/**
 * Moved aside before it is removed. So if two processes find it stale, only one removes it, and neither removes the
 * other's new one.
 */
function clearStale(file: string): void {
  const holder = holderIn(read(file));
  if (holder !== null) throw held(file, holder);
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  const moved = holderIn(read(aside));
  if (moved !== null) linkSync(aside, file);
  rmSync(aside);
  if (moved !== null) throw held(file, moved);
}

function held(file: string, holder: number | string): Error {
  const advice = `ensure coracle is not running or delete ${file}`;
  return new Error(`failed to start daemon, ${advice}: process with PID ${holder} is still running`);
}

function holderIn(text: string): number | null {
  const [id = "", identity = ""] = text.split("\n");
  const pid = Number.parseInt(id, 10);
  if (!(pid > 0) || pid === process.pid) return null;
  // Process ids are reused. A process that started at another time did not write this file. If the file says nothing
  // about that, a process that runs another program did not. If it does, the program does not matter: a running
  // daemon's may have been upgraded.
  if (identity !== "") return identity === identityOf(pid) ? pid : null;
  const program = programOf(pid);
  return program !== "" && program === programOf("self") ? pid : null;
}

/**
 * Boot id, and clock ticks from boot to the start of the process: proc(5), 22nd field of `stat`. Empty for a process
 * that has ended, even if nobody has reaped it.
 */
function identityOf(pid: number): string {
  const stat = read(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (fields.length < 20 || fields[0] === "Z" || fields[0] === "X") return "";
  return `${read("/proc/sys/kernel/random/boot_id").trim()} ${fields[19]}`;
}

function programOf(pid: number | "self"): string {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return "";
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return linkText(file);
  }
}

function linkText(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return "";
  }
}
