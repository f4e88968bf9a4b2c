// Writes to the daemon's log what the core did with its findings, at the start or in the journal: one line each.

import type { Input, engine } from "../shared/index.js";
import type { ObservedStep, Observer } from "../driver/index.js";
import type { Log } from "./log.js";

/** Reports after every `open`, and after every reading of the journal. */
export function tellFindings(log: Log): Observer {
  const tellOf = (step: ObservedStep): void => {
    for (const note of step.explain()) if (note.tag === "found") tell(note.val, log);
  };
  return {
    opened: tellOf,
    stepped: (step, input) => {
      if (readsJournal(input)) tellOf(step);
    },
    lost: () => {},
  };
}

/** Entries that a reader has not received yet are checked when it has read them. */
function readsJournal(input: Input): boolean {
  if (input.tag === "drained") return true;
  return input.tag === "completed" && input.val.outcome.tag === "ok" && input.val.outcome.val.tag === "journal";
}

/** What a host has removed by itself is reported in the same words. */
export function tell({ what, deed, why }: engine.Found, log: Log): void {
  const told = deed === "set-aside" || deed === "skipped" ? log.warn : log.info;
  told(`${WORDS[deed]} ${what}`, { why });
}

const WORDS: Record<engine.Deed, string> = {
  adopted: "adopted",
  mended: "mended",
  swept: "swept",
  migrated: "migrated",
  "set-aside": "set aside",
  skipped: "skipped",
};
