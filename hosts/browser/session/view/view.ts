// The type of a body, for display: JSON, progress, frames, a terminal, text.

/** The progress of one layer, or of another named object. */
export interface Bar {
  /** The layer's id as the engine names it, 12 digits; empty for a line about the whole. */
  readonly id: string;
  /** `Downloading`, `Pull complete`… */
  readonly status: string;
  /** Bytes so far and in total; 0 and 0 if the engine reports none. */
  readonly current: number;
  readonly total: number;
}

/** Eight header bytes, then the payload. */
export interface Frame {
  readonly stream: "stdin" | "stdout" | "stderr";
  readonly header: Uint8Array;
  readonly bytes: Uint8Array;
  /** When its last byte arrived, in monotonic nanoseconds of the world. */
  readonly at: bigint;
}

export type View =
  | { kind: "empty" }
  /** `text`: as sent. */
  | { kind: "json"; value: unknown; text: string }
  /** A pull or a load: one bar for each id in order of appearance; `lines` without an id; `error` if it failed. */
  | { kind: "progress"; bars: readonly Bar[]; lines: readonly string[]; error: string | null }
  /** One JSON value per line: events. */
  | { kind: "lines"; values: readonly unknown[] }
  /** `rest`: bytes of an incomplete frame. */
  | { kind: "frames"; frames: readonly Frame[]; rest: Uint8Array }
  /** Raw bytes of a terminal. */
  | { kind: "terminal"; bytes: Uint8Array }
  | { kind: "text"; text: string }
  | { kind: "binary"; bytes: Uint8Array };
