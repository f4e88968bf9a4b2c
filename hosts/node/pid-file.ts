// One daemon for a pid file, and one for a data root: a file with the process id of whoever has it.

import { mkdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

export interface PidFile {
  /** Lets others have it. */
  release(): void;
}

/** Throws when a daemon that has it is still running. What a killed one left is taken over. */
export function claimPidFile(file: string): PidFile {
  const holder = holderOf(file);
  if (holder !== null) {
    throw new Error(
      `failed to start daemon, ensure coracle is not running or delete ${file}: process with PID ${holder} is still running`,
    );
  }
  mkdirSync(dirname(file), { recursive: true, mode: 0o755 });
  writeFileSync(file, String(process.pid));
  return { release: () => rmSync(file, { force: true }) };
}

function holderOf(file: string): number | null {
  const pid = Number.parseInt(
    read(() => readFileSync(file, "utf8")),
    10,
  );
  if (!(pid > 0) || pid === process.pid) return null;
  // Process ids are used again: who runs another program is not the daemon that wrote this.
  const program = read(() => readlinkSync(`/proc/${pid}/exe`));
  return program !== "" && program === read(() => readlinkSync("/proc/self/exe")) ? pid : null;
}

function read(what: () => string): string {
  try {
    return what();
  } catch {
    return "";
  }
}
