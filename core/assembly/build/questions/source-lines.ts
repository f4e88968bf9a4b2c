// Lines of a Dockerfile, as clients of BuildKit show what an error or a warning is about (moby/buildkit, solver/errdefs).

import { TextBuilder } from "../../text/builder";

const RULER = "--------------------\n";
/** Lines around those that are meant. */
const AROUND_ONE: i32 = 4;
const AROUND_SEVERAL: i32 = 2;

export function writeLines(text: TextBuilder, name: string, lines: string[], line: i32, endLine: i32): void {
  let first = line;
  let last = min(endLine, lines.length);
  if (first < 1 || first > lines.length) return;
  const around = first == last ? AROUND_ONE : AROUND_SEVERAL;
  for (let shown = 0; shown < around; shown++) {
    if (first > 1) {
      first -= 1;
      shown += 1;
    }
    if (last < lines.length) {
      last += 1;
      shown += 1;
    }
  }
  text.text(`${name}:${line.toString()}\n`).text(RULER);
  for (let i = first; i <= last; i++) {
    const mark = i >= line && i <= endLine ? ">>>" : "   ";
    text
      .text(` ${i.toString().padStart(3)} | ${mark} `)
      .text(lines[i - 1])
      .text("\n");
  }
  text.text(RULER);
}
