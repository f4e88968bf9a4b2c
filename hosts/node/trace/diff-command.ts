// `coracle trace diff`: the first step in which two traces are not the same.

import { decodeSegments, TraceError } from "../../trace/decode.js";
import { compareTraces } from "../../trace/difference.js";
import { isShared } from "../../trace/shared.js";
import { traceArguments } from "./arguments.js";
import type { Told } from "./replay-command.js";
import { linesOf } from "./trace-file.js";

export const DIFF_USAGE = `Usage: coracle trace diff FILE FILE

Tells the first step in which two traces are not the same: what the core was told, or what came of it. Ends with 1 then.
Traces that were saved with --share cannot be compared: they have neither the values nor the hashes for it.`;

/** Throws with what to tell the user. */
export function compareFiles(args: readonly string[]): Told {
  const { files, given } = traceArguments(args, 2, []);
  if (given.help === true) return { code: 0, text: DIFF_USAGE };
  const [first, second] = files as [string, string];
  for (const file of [first, second]) refuseShared(file);
  let cut = "";
  const segmentsOf = (file: string) => {
    const cutShort = (line: number): void => void (cut += `; ${file} has no end, and is cut short behind line ${line}`);
    return decodeSegments(linesOf(file), { unfinished: true, cutShort });
  };
  const { same, parting, longer } = compareTraces(segmentsOf(first), segmentsOf(second));
  if (parting !== null) {
    const { epoch, step, what } = parting;
    return {
      code: 1,
      text: [`they part in step ${epoch}:${step}, behind ${same} that are the same`, ...what].join("\n  "),
    };
  }
  const more = longer === null ? "" : `; ${longer === "first" ? first : second} goes on`;
  return { code: 0, text: `the same in ${same} steps${more}${cut}` };
}

/** Steps of which the values are hidden may look the same and not be: nothing is said of them. */
function refuseShared(file: string): void {
  const [line] = linesOf(file);
  if (line === undefined || !isShared(line)) return;
  throw new TraceError(
    `${file} was saved with --share: values are hidden in it, and there are no hashes of what came of the steps, ` +
      "so that it can be neither verified nor compared. Compare what was saved without --share",
  );
}
