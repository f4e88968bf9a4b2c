// What a body is, for people: JSON, progress, frames, a terminal, text.

/** How far one layer, or one thing with a name of its own, is. */
export interface Bar {
  /** The layer's id as the engine names it, 12 digits; empty for a line about the whole. */
  readonly id: string;
  /** `Downloading`, `Pull complete`… */
  readonly status: string;
  /** Bytes so far and in all; 0 and 0 where the engine tells none. */
  readonly current: number;
  readonly total: number;
}

/** Eight header bytes, then so many of payload. */
export interface Frame {
  readonly stream: "stdin" | "stdout" | "stderr";
  readonly header: Uint8Array;
  readonly bytes: Uint8Array;
  /** When its last byte came; monotonic nanoseconds of the world. */
  readonly at: bigint;
}

export type View =
  | { kind: "empty" }
  /** `text` as sent. */
  | { kind: "json"; value: unknown; text: string }
  /** A pull or a load: one bar for each id in order of appearance, lines without an id in `lines`; `error` if it failed. */
  | { kind: "progress"; bars: readonly Bar[]; lines: readonly string[]; error: string | null }
  /** A JSON value a line: events. */
  | { kind: "lines"; values: readonly unknown[] }
  /** `rest`: bytes of a frame that is not whole yet. */
  | { kind: "frames"; frames: readonly Frame[]; rest: Uint8Array }
  /** Raw bytes of a terminal. */
  | { kind: "terminal"; bytes: Uint8Array }
  | { kind: "text"; text: string }
  | { kind: "binary"; bytes: Uint8Array };
