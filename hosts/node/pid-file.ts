// One daemon for a pid file, and one for a data root: a file with the process id of whoever has it.

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
  /** Lets others have it. */
  release(): void;
}

/**
 * Throws when a daemon that has it is still running. What a killed one left is taken over. `outlivesBoot`: the file is
 * where a reboot does not remove it, and a second line tells this process from others that will have its id.
 */
export function claimPidFile(file: string, outlivesBoot = false): PidFile {
  mkdirSync(dirname(file), { recursive: true, mode: 0o755 });
  const text = outlivesBoot ? `${process.pid}\n${identityOf(process.pid)}\n` : String(process.pid);
  if (!made(file, text)) {
    clearStale(file);
    // Who was faster with the same has it.
    if (!made(file, text)) throw held(file, read(file).split("\n", 1)[0]!);
  }
  return { release: () => rmSync(file, { force: true }) };
}

/** False when there is one. It appears with its text. */
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
 * A full disk must not keep the daemon from starting: there the text is a symbolic link's, whose inode has room for it
 * (an empty file would be nobody's).
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

/** Moved aside before it is removed, so that of two who find it stale only one removes it, and none another's new one. */
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
  // Process ids are used again: who was started at another time did not write this; nor, where nothing is said of that,
  // who runs another program. Where it is said, the program says nothing more: that of a running daemon may be upgraded.
  if (identity !== "") return identity === identityOf(pid) ? pid : null;
  const program = programOf(pid);
  return program !== "" && program === programOf("self") ? pid : null;
}

/**
 * Boot, and clock ticks from there to the start of the process: proc(5), 22nd field of `stat`. Empty for one that has
 * ended, also if nobody has reaped it.
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
