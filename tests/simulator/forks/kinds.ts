// The kinds of outputs that there are, by the WIT, and why some of them are in no story.

import { COMMANDS } from "../../../build/core/commands.js";
import { KINDS, type Kind } from "../commands.js";
import { UNVISITED } from "../visits/unvisited.js";
import { TRANSACTION } from "./output-counts.js";

/** Those that a run need not come to, and why. */
export const IN_NO_STORY: Readonly<Partial<Record<Kind, string>>> = {
  "networks drop": UNVISITED["network-command drop"]!,
};

/** What a step writes down is one output. */
const WRITTEN = Object.entries(COMMANDS.records).flatMap(([name, { kind }]) =>
  kind === "ask" ? [] : [`records ${name}`],
);

/** `content mount`, `replies whole`, and `records` for a transaction; all but those that a run need not come to. */
export function outputKinds(): string[] {
  return [TRANSACTION, ...KINDS].filter((kind) => !(kind in IN_NO_STORY) && !WRITTEN.includes(kind));
}
