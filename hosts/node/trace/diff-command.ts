// `coracle trace diff`: the first step in which two traces are not the same.

import { decodeSegments } from "../../trace/decode.js";
import { compareTraces } from "../../trace/difference.js";
import { traceArguments } from "./arguments.js";
import type { Told } from "./replay-command.js";
import { linesOf } from "./trace-file.js";

export const DIFF_USAGE = `Usage: coracle trace diff FILE FILE

Tells the first step in which two traces are not the same: what the core was told, or what came of it. Ends with 1 then.`;

/** Throws with what to tell the user. */
export function compareFiles(args: readonly string[]): Told {
  const { files, given } = traceArguments(args, 2, []);
  if (given.help === true) return { code: 0, text: DIFF_USAGE };
  const [first, second] = files as [string, string];
  const segmentsOf = (file: string) => decodeSegments(linesOf(file), { unfinished: true });
  const { same, parting, longer } = compareTraces(segmentsOf(first), segmentsOf(second));
  if (parting !== null) {
    const { epoch, step, what } = parting;
    return {
      code: 1,
      text: [`they part in step ${epoch}:${step}, behind ${same} that are the same`, ...what].join("\n  "),
    };
  }
  const more = longer === null ? "" : `; ${longer === "first" ? first : second} goes on`;
  return { code: 0, text: `the same in ${same} steps${more}` };
}
