// Lines of traces that a test has changed, with sums that fit: what is wrong with them otherwise is to be seen.

import { Chain } from "../../hosts/trace/chain.js";

/** The lines of a trace, without their sums and LFs. */
export function bareLines(text: string): string[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => line.replace(/,"sum":"[^"]{16}"\}$/, "}"));
}

/** The text of such lines, each with its sum. */
export function summed(lines: readonly string[]): string {
  let chain = new Chain();
  const sealed = lines.map((line) => {
    if (line.startsWith('{"format"')) chain = new Chain();
    return `${chain.sealed(line)}\n`;
  });
  return sealed.join("");
}
