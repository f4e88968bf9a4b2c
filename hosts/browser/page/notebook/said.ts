// Messages of commands, shown under the console line.

import type { Place } from "../../notation/shell/place.js";
import type { Playground } from "../playground.js";
import { senderOf } from "./plan.js";

/** A message under the line. */
export interface Said {
  readonly problem: string;
  readonly text: string;
  readonly remarks: readonly string[];
  readonly choices: readonly string[];
}

export const NOTHING: Said = { problem: "", text: "", remarks: [], choices: [] };

/** Where commands run: their requests become cells, and their messages appear under the line. */
export function placeOf(playground: Playground, say: (said: Said) => void): Place {
  const { variables, interrupted } = playground.runs;
  const texts: string[] = [];
  const problems: string[] = [];
  const remarks = new Set<string>();
  const sayAll = (): void => {
    // An interrupted command must not print under later lines.
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
      // Long output is not kept for ever.
      if (texts.length > MOST_SHOWN) texts.shift();
      told();
    },
    remark: (text) => void (remarks.add(text), told()),
    refuse: (text) => void (problems.push(text), told()),
  };
}

/** The largest number of text pieces to show; the newest are kept. */
const MOST_SHOWN = 10_000;

/** Merges all calls before the next frame into one, because a pipe delivers each line separately. */
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
