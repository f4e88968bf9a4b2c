// Lines of large events, as readers of a version are sent them. Each is written once, and kept while it may still be asked
// for: readers get it piece by piece, as fast as they read, and hold nothing but where they are in it.

/** Bytes that are kept; the newest line stays, however long. */
const KEPT_BYTES: i32 = 8 << 20;

export class Line {
  constructor(
    /** Of its event, in the journal. */
    readonly position: u64,
    readonly version: i32,
    /** Nanoseconds since 1970. */
    readonly at: i64,
    readonly bytes: Uint8Array,
  ) {}
}

export class Lines {
  /** From the oldest on. */
  private kept: Line[] = [];
  private bytes: i32 = 0;

  find(position: u64, version: i32): Line | null {
    for (let i = 0; i < this.kept.length; i++) {
      const line = this.kept[i];
      if (line.position == position && line.version == version) return line;
    }
    return null;
  }

  keep(line: Line): void {
    this.kept.push(line);
    this.bytes += line.bytes.length;
    while (this.bytes > KEPT_BYTES && this.kept.length > 1) this.bytes -= this.kept.shift().bytes.length;
  }

  /** Nobody reads any more. */
  clear(): void {
    this.kept = [];
    this.bytes = 0;
  }
}
