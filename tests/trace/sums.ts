// Lines of changed traces with matching checksums, so that other errors become visible.

import { Chain } from "../../hosts/trace/chain.js";

/** The lines of a trace, without their checksums and LFs. */
export function bareLines(text: string): string[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => line.replace(/,"sum":"[^"]{16}"\}$/, "}"));
}

/** The text of such lines, each with its checksum. */
export function summed(lines: readonly string[]): string {
  let chain = new Chain();
  const sealed = lines.map((line) => {
    if (line.startsWith('{"format"')) chain = new Chain();
    return `${chain.sealed(line)}\n`;
  });
  return sealed.join("");
}
