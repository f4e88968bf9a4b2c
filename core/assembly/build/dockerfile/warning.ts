// What is surely not meant as it is written in a Dockerfile, although it can be built.

import { TextBuilder } from "../../text/builder";

export class Warning {
  constructor(
    /** Counted from 1. */
    readonly line: i32,
    /** The rule, by the name that `docker build --check` gives it. */
    readonly rule: string,
    /** Of `NoEmptyContinuation` the joined line; of other rules a sentence. */
    readonly text: string,
  ) {}
}

/** What is surely not meant, a line for each, as the classic builder does not tell it; empty if there is nothing. */
export function warningLines(warnings: Warning[]): string {
  const text = new TextBuilder();
  for (let i = 0; i < warnings.length; i++) {
    const warning = warnings[i];
    if (warning.rule == "NoEmptyContinuation") continue;
    text.text("[WARNING]: ").text(warning.text).text(` (${warning.rule}, line ${warning.line.toString()})\n`);
  }
  return text.toString();
}

/** The classic builder's words for empty continuation lines, in the build's error stream; empty if there are none. */
export function emptyContinuations(warnings: Warning[]): string {
  const text = new TextBuilder();
  for (let i = 0; i < warnings.length; i++) {
    if (warnings[i].rule != "NoEmptyContinuation") continue;
    text.text("[WARNING]: Empty continuation line found in:\n    ").text(warnings[i].text).text("\n");
  }
  if (text.length == 0) return "";
  return text.text("[WARNING]: Empty continuation lines will become errors in a future release.\n").toString();
}
