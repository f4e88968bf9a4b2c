// The kinds of outputs in the WIT, and reasons why some of them are in no story.

import { COMMANDS } from "../../../build/core/commands.js";
import { KINDS, type Kind } from "../commands.js";
import { UNVISITED } from "../visits/unvisited.js";
import { TRANSACTION } from "./output-counts.js";

/** Kinds that a run need not reach, and the reasons. */
export const IN_NO_STORY: Readonly<Partial<Record<Kind, string>>> = {
  "networks drop": UNVISITED["network-command drop"]!,
};

/** Changes of records are not kinds of their own: a step's changes are one output. */
const WRITTEN = Object.entries(COMMANDS.records).flatMap(([name, { kind }]) =>
  kind === "ask" ? [] : [`records ${name}`],
);

/** All kinds that a run should reach: `content mount`, `replies whole`, and `records` for a transaction. */
export function outputKinds(): string[] {
  return [TRANSACTION, ...KINDS].filter((kind) => !(kind in IN_NO_STORY) && !WRITTEN.includes(kind));
}
