// The parameters `h` and `w` of both resize endpoints (surface §2.9).

import { Query } from "../text/url";
import { ParsedInteger, u32Of } from "./parameters";

export class TerminalSize {
  constructor(
    readonly rows: u32,
    readonly columns: u32,
    /** What is wrong with them; empty if nothing is. */
    readonly error: string,
  ) {}
}

export function terminalSizeOf(query: Query): TerminalSize {
  const rows: ParsedInteger = u32Of(query, "h", "invalid resize height");
  const columns: ParsedInteger = u32Of(query, "w", "invalid resize width");
  const error = rows.error.length > 0 ? rows.error : columns.error;
  return new TerminalSize(<u32>rows.value, <u32>columns.value, error);
}
