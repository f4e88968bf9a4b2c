// What the core did with what it found, at a start or in the journal, a line each in the daemon's log.

import type { Input, engine } from "../shared/host.js";
import type { ObservedStep, Observer } from "../driver/index.js";
import type { Log } from "./log.js";

/** Tells of every `open`, and of every reading of the journal. */
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

/** What a reader has not taken yet is looked at when it has read. */
function readsJournal(input: Input): boolean {
  if (input.tag === "drained") return true;
  return input.tag === "completed" && input.val.outcome.tag === "ok" && input.val.outcome.val.tag === "journal";
}

/** What a host has cleared away by itself is told in the same words. */
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
