// Where a daemon keeps its trace: a file a segment, for its owner alone; and the segments that led to a trap, apart.

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
import { join } from "node:path";

/** One of a trace's files. */
export interface SegmentFile {
  number: number;
  file: string;
  bytes: number;
}

/** So many incidents are kept. */
const MOST_INCIDENTS = 8;
/** A header has fewer bytes. */
const HEAD = 1024;
const SEGMENT = /^segment-([0-9]{1,15})\.ndjson$/;
const INCIDENT = /^incident-[0-9a-f]+\.ndjson$/;

export class TraceDirectory {
  constructor(readonly path: string) {}

  /** Makes it if it is not there. Throws where it is somebody else's: others could read what is written. */
  make(): void {
    mkdirSync(this.path, { recursive: true, mode: 0o700 });
    const found = lstatSync(this.path);
    const uid = process.getuid?.();
    if (!found.isDirectory() || (uid !== undefined && found.uid !== uid)) {
      throw new Error(`${this.path} is no directory of this user's`);
    }
    chmodSync(this.path, 0o700);
  }

  fileOf(segment: number): string {
    return join(this.path, `segment-${String(segment).padStart(9, "0")}.ndjson`);
  }

  incidentFile(incident: string): string {
    return join(this.path, `incident-${incident}.ndjson`);
  }

  /** Oldest first. None where there is no such directory. */
  segments(): SegmentFile[] {
    const found = this.#names().flatMap((name) => {
      const file = join(this.path, name);
      const number = Number(SEGMENT.exec(name)?.[1] ?? "0");
      const bytes = number > 0 ? statSync(file, { throwIfNoEntry: false })?.size : undefined;
      return bytes === undefined ? [] : [{ number, file, bytes }];
    });
    return found.sort((a, b) => a.number - b.number);
  }

  /** Number of the newest instance that segments are of; 0 if there is none. */
  lastEpoch(): number {
    return this.segments().reduce((last, { file }) => Math.max(last, epochIn(file)), 0);
  }

  /** Keeps what has been written of a segment, whatever becomes of the segment; older incidents go. */
  keep(segment: number, incident: string): void {
    linkSync(this.fileOf(segment), this.incidentFile(incident));
    for (const file of this.#incidents().slice(0, -MOST_INCIDENTS)) rmSync(file, { force: true });
  }

  /** Oldest first. */
  #incidents(): string[] {
    const files = this.#names()
      .filter((name) => INCIDENT.test(name))
      .map((name) => join(this.path, name));
    const age = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    return files.sort((a, b) => age(a) - age(b));
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
