// Containers' logs in a directory of their own, with a simulated supervisor that writes one of them.

import { appendFileSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach } from "vitest";
import type { LogBytes } from "../../../hosts/shared/host.js";
import { Logs, type Keeping } from "../../../runtime-linux/stdio/log.js";

export const ID = "c";
export const LINE_BYTES = 10;
/** 2026-11-20T09:00:07.5Z */
export const AT = 1_795_165_207_500_000_000n;

/** New logs for each test of a file. */
export function logsOnDisk(): LogsOnDisk {
  const disk = new LogsOnDisk();
  beforeEach(() => disk.make());
  afterEach(() => disk.remove());
  return disk;
}

class LogsOnDisk {
  directory = "";
  logs!: Logs;
  /** Number of the next line. */
  next = 0;

  make(): void {
    this.directory = mkdtempSync(join(tmpdir(), "logs-"));
    this.next = 0;
    this.reopen();
  }

  remove(): void {
    this.logs.close();
    rmSync(this.directory, { recursive: true });
  }

  /** What the next engine does. */
  reopen(): void {
    this.logs = new Logs(() => this.path());
  }

  readonly path = (): string => join(this.directory, "log");

  readonly names = (): string[] => readdirSync(this.directory);

  readonly numbered = (number: number): boolean => this.names().includes(`log.${number}`);

  /** Size of all files; `log` and the newest numbered file are the same. */
  readonly onDisk = (): number => {
    const numbers = this.names().filter((name) => name !== "log");
    return numbers.reduce((sum, name) => sum + statSync(join(this.directory, name)).size, 0);
  };

  /** What a supervisor does when told to rotate. */
  readonly renew = (): boolean => {
    writeFileSync(`${this.path()}.tmp`, "");
    renameSync(`${this.path()}.tmp`, this.path());
    return true;
  };

  readonly keeping = (given: Partial<Keeping>): Keeping => ({
    ...{ fileBytes: 0, files: 1, compressed: false, passing: false, renew: this.renew },
    ...given,
  });

  readonly write = (count: number): void => {
    appendFileSync(this.path(), lines(this.next, this.next + count));
    this.next += count;
  };

  /** A run that writes this many lines at once, before the log is checked. */
  readonly runWith = (count: number, given: Partial<Keeping>): void => {
    this.logs.keep(ID, this.keeping(given));
    this.write(count);
    this.logs.ended(ID, AT);
  };

  /** `log` has been replaced this many times: it is empty, and linked. */
  readonly rotated = async (count: number): Promise<void> => {
    const isEmpty = (): boolean => statSync(this.path()).size === 0 && statSync(this.path()).nlink === 2;
    await this.until(() => isEmpty() && this.numbered(count + 1));
  };

  readonly until = async (condition: () => boolean): Promise<void> => {
    for (let waited = 0; !condition(); waited += 10) {
      if (waited > 10_000) throw new Error(`still: ${this.names().join(" ")}`);
      await sleep(10);
    }
  };
}

export function lines(from: number, to: number): string {
  let text = "";
  for (let number = from; number < to; number++) text += `${String(number).padStart(LINE_BYTES - 1, "0")}\n`;
  return text;
}

export async function textOf(log: LogBytes, from = 0): Promise<string> {
  const into = new Uint8Array(1 << 16);
  let text = "";
  for (let at = from; ;) {
    const read = await log.read(at, into);
    if (read <= 0) return text;
    text += Buffer.from(into.subarray(0, read)).toString();
    at += read;
  }
}
