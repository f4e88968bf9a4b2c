// Reads a trace file line by line, because the file may be larger than a string can be.

import { closeSync, openSync, readSync } from "node:fs";

const PIECE = 1 << 20;
const LF = 0x0a;

/** Without their LF. Leaves out an incomplete line at the end. Throws if there is no file. */
export function* linesOf(file: string): Generator<string> {
  const descriptor = openSync(file, "r");
  try {
    let rest: Buffer[] = [];
    for (;;) {
      const piece = Buffer.alloc(PIECE);
      const length = readSync(descriptor, piece);
      if (length === 0) return;
      let from = 0;
      for (let at = piece.indexOf(LF); at >= 0 && at < length; at = piece.indexOf(LF, from)) {
        yield Buffer.concat([...rest, piece.subarray(from, at)]).toString();
        rest = [];
        from = at + 1;
      }
      rest.push(piece.subarray(from, length));
    }
  } finally {
    closeSync(descriptor);
  }
}
