// `coracle trace diff`: finds the first step in which two traces differ.

import { TraceError, compareTraces, decodeSegments, isShared } from "../../trace/index.js";
import { traceArguments } from "./arguments.js";
import type { Told } from "./replay-command.js";
import { linesOf } from "./trace-file.js";

export const DIFF_USAGE = `Usage: coracle trace diff FILE FILE

Prints the first step in which two traces differ, in the core's input or in the result. The exit code is then 1.
Traces that were saved with --share cannot be compared: they lack values and hashes.`;

/** Throws with a message for the user. */
export function compareFiles(args: readonly string[]): Told {
  const { files, given } = traceArguments(args, 2, []);
  if (given.help === true) return { code: 0, text: DIFF_USAGE };
  const [first, second] = files as [string, string];
  for (const file of [first, second]) refuseShared(file);
  let cut = "";
  const segmentsOf = (file: string) => {
    const cutShort = (line: number): void => void (cut += `; ${file} has no end: it is cut off after line ${line}`);
    return decodeSegments(linesOf(file), { unfinished: true, cutShort });
  };
  const { same, parting, longer } = compareTraces(segmentsOf(first), segmentsOf(second));
  if (parting !== null) {
    const { epoch, step, what } = parting;
    return {
      code: 1,
      text: [`the first difference is in step ${epoch}:${step}, after ${same} equal steps`, ...what].join("\n  "),
    };
  }
  const more = longer === null ? "" : `; ${longer === "first" ? first : second} has more steps`;
  return { code: 0, text: `the same in ${same} steps${more}${cut}` };
}

/** Steps with hidden values may look the same and still differ, so such traces are not compared. */
function refuseShared(file: string): void {
  const [line] = linesOf(file);
  if (line === undefined || !isShared(line)) return;
  throw new TraceError(
    `${file} was saved with --share: values are hidden in it, and it has no hashes of the results, ` +
      "so it can be neither verified nor compared. Compare traces that were saved without --share",
  );
}
