// The directory of a daemon's trace: one file for each segment, readable by the owner alone. Segments that led to a
// trap are kept separately.

import {
  chmodSync,
  closeSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  readdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";

/** One of a trace's files. */
export interface SegmentFile {
  number: number;
  file: string;
  bytes: number;
}

/** A trace that led to a trap. */
interface Incident {
  file: string;
  inode: number;
  bytes: number;
  /** Number of names that the file has. */
  links: number;
  /** Time in milliseconds since 1970. */
  written: number;
}

/** How many incidents are kept. */
const MOST_INCIDENTS = 8;
/** A header has fewer bytes. */
export const HEAD = 1024;
const SEGMENT = /^segment-([0-9]{1,15})\.ndjson$/;
const INCIDENT = /^incident-[0-9a-f]+\.ndjson$/;

export class TraceDirectory {
  /** The last result of `incidentBytes`; null if it may have changed. */
  #incidentBytes: number | null = null;

  constructor(readonly path: string) {}

  /** Makes it if it is missing. Throws if it belongs to another user, who could read what is written. */
  make(): void {
    mkdirSync(this.path, { recursive: true, mode: 0o700 });
    const found = lstatSync(this.path);
    const uid = process.getuid?.();
    if (!found.isDirectory() || (uid !== undefined && found.uid !== uid)) {
      throw new Error(`${this.path} must be a directory that this user owns`);
    }
    chmodSync(this.path, 0o700);
  }

  fileOf(segment: number): string {
    return join(this.path, `segment-${String(segment).padStart(9, "0")}.ndjson`);
  }

  incidentFile(incident: string): string {
    return join(this.path, `incident-${incident}.ndjson`);
  }

  /** The oldest first. Empty if the directory is missing. */
  segments(): SegmentFile[] {
    const found = this.#names().flatMap((name) => {
      const file = join(this.path, name);
      const number = Number(SEGMENT.exec(name)?.[1] ?? "0");
      const bytes = number > 0 ? statSync(file, { throwIfNoEntry: false })?.size : undefined;
      return bytes === undefined ? [] : [{ number, file, bytes }];
    });
    return found.sort((a, b) => a.number - b.number);
  }

  /** Number of the newest instance that has segments; 0 if there is none. */
  lastEpoch(): number {
    return this.segments().reduce((last, { file }) => Math.max(last, epochIn(file)), 0);
  }

  /**
   * Keeps what has been written of a segment, even if the segment is removed later. Removes older incidents as
   * `dropIncidents` does.
   */
  keep(segment: number, incident: string, mostBytes: number): void {
    linkSync(this.fileOf(segment), this.incidentFile(incident));
    this.dropIncidents(mostBytes);
  }

  /** Removes a segment. An incident may still have the file. Throws if the disk cannot remove it. */
  drop(segment: number): void {
    rmSync(this.fileOf(segment), { force: true });
    this.#incidentBytes = null;
  }

  /** Opens a new segment's file for appending. */
  async begin(segment: number): Promise<FileHandle> {
    // A user may have removed incidents meanwhile.
    this.#incidentBytes = null;
    return await open(this.fileOf(segment), "ax", 0o600);
  }

  /** Keeps the newest incidents, up to this many bytes in total. */
  dropIncidents(mostBytes: number): void {
    const seen = new Set<number>();
    let sum = 0;
    for (const [at, { file, inode, bytes }] of this.#incidents().reverse().entries()) {
      if (!seen.has(inode)) sum += bytes;
      seen.add(inode);
      if (at >= MOST_INCIDENTS || sum > mostBytes) rmSync(file, { force: true });
    }
    this.#incidentBytes = null;
  }

  /**
   * Bytes of incidents whose segments are gone; the others share their segments' bytes. Called at every write, computed
   * once.
   */
  incidentBytes(): number {
    return (this.#incidentBytes ??= this.#countIncidentBytes());
  }

  #countIncidentBytes(): number {
    const incidents = this.#incidents();
    return incidents.reduce((sum, { inode, bytes, links }, at) => {
      const same = incidents.filter((one) => one.inode === inode);
      return same[0] === incidents[at] && same.length === links ? sum + bytes : sum;
    }, 0);
  }

  /** The oldest first. */
  #incidents(): Incident[] {
    const found = this.#names().flatMap((name) => {
      const file = join(this.path, name);
      const stat = INCIDENT.test(name) ? statSync(file, { throwIfNoEntry: false }) : undefined;
      return stat === undefined
        ? []
        : [{ file, inode: stat.ino, bytes: stat.size, links: stat.nlink, written: stat.mtimeMs }];
    });
    return found.sort((a, b) => a.written - b.written);
  }

  #names(): string[] {
    try {
      return readdirSync(this.path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw error;
    }
  }
}

/** 0 if it cannot be read. */
function epochIn(file: string): number {
  const head = Buffer.alloc(HEAD);
  const descriptor = openSync(file, "r");
  readSync(descriptor, head);
  closeSync(descriptor);
  return Number(/"epoch":([0-9]{1,9}),/.exec(head.toString("latin1"))?.[1] ?? "0");
}
