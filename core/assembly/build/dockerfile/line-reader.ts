// Splits a Dockerfile into its lines.

import { utf8Length } from "../../text/utf8";

/** Bytes of the longest line; Docker reads lines through a buffer of this size. */
export const MAX_LINE: i32 = 65_535;

export class LineReader {
  /** Number of lines read. */
  line: i32 = 0;
  /** Whether reading has stopped at a line that is too long. */
  tooLong: bool = false;
  /** Whether the last line that was read had a line end. */
  ended: bool = false;
  private at: i32 = 0;

  constructor(private readonly text: string) {
    if (text.length > 0 && text.charCodeAt(0) == 0xfeff) this.at = 1;
  }

  /** The next line with its line end as it is; null at the end, and in front of a line that is too long. */
  nextWhole(): string | null {
    if (this.tooLong || this.at >= this.text.length) return null;
    const end = this.text.indexOf("\n", this.at);
    this.ended = end >= 0;
    const line = this.text.slice(this.at, end < 0 ? this.text.length : end + 1);
    if (utf8Length(line) - (this.ended ? 1 : 0) > MAX_LINE) {
      this.tooLong = true;
      return null;
    }
    this.at += line.length;
    this.line++;
    return line;
  }

  /** The next line without its line end. */
  next(): string | null {
    const line = this.nextWhole();
    return line === null ? null : withoutLineEnd(line);
  }
}

export function withoutLineEnd(line: string): string {
  if (line.endsWith("\r\n")) return line.slice(0, line.length - 2);
  return line.endsWith("\n") || line.endsWith("\r") ? line.slice(0, line.length - 1) : line;
}
