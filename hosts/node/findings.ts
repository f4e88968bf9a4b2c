// What the core did at a start with what it found, a line each in the daemon's log.

import type { engine } from "../host.js";
import type { Observer } from "../observer.js";
import type { Log } from "./log.js";

/** Tells of every `open`. */
export function tellFindings(log: Log): Observer {
  return {
    opened: (step) => {
      for (const note of step.explain()) if (note.tag === "found") tell(note.val, log);
    },
    stepped: () => {},
    lost: () => {},
  };
}

/** What a host has cleared away by itself is told in the same words. */
export function tell({ what, deed, why }: engine.Found, log: Log): void {
  const told = deed === "set-aside" ? log.warn : log.info;
  told(`${WORDS[deed]} ${what}`, { why });
}

const WORDS: Record<engine.Deed, string> = {
  adopted: "adopted",
  mended: "mended",
  swept: "swept",
  migrated: "migrated",
  "set-aside": "set aside",
};
