// What commands say under the line that they were typed in.

import type { Place } from "../../notation/shell/place.js";
import type { Playground } from "../playground.js";
import { senderOf } from "./plan.js";

/** What is said under the line. */
export interface Said {
  readonly problem: string;
  readonly text: string;
  readonly remarks: readonly string[];
  readonly choices: readonly string[];
}

export const NOTHING: Said = { problem: "", text: "", remarks: [], choices: [] };

/** Where commands are run: their requests become cells, and what they say gathers under the line. */
export function placeOf(playground: Playground, say: (said: Said) => void): Place {
  const { variables, interrupted } = playground.runs;
  const texts: string[] = [];
  const problems: string[] = [];
  const remarks = new Set<string>();
  const sayAll = (): void => {
    // What was interrupted has nothing to say under the lines that come after it.
    if (interrupted.aborted) return;
    say({ ...NOTHING, problem: problems.join("\n"), text: texts.join("\n"), remarks: [...remarks] });
  };
  const told = soon(sayAll);
  return {
    version: playground.version.value,
    variables,
    sender: playground.runs.watching(senderOf(playground)),
    interrupted,
    show: (text) => {
      texts.push(text);
      // What goes on for long is not kept for ever.
      if (texts.length > MOST_SHOWN) texts.shift();
      told();
    },
    remark: (text) => void (remarks.add(text), told()),
    refuse: (text) => void (problems.push(text), told()),
  };
}

/** So many pieces of text are shown at most, the newest. */
const MOST_SHOWN = 10_000;

/** Once for all calls of a moment: a pipe tells each line by itself. */
function soon(act: () => void): () => void {
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      act();
    });
  };
}
