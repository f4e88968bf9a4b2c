// The kinds of outputs that there are, by the WIT, and why some of them are in no story.

import { fileURLToPath } from "node:url";
import { readWorld } from "../../../core/build.js";
import { readWit } from "../../../core/bindgen/wit.js";
import { UNVISITED } from "../visits/unvisited.js";
import { TRANSACTION } from "./output-counts.js";

const WIT = fileURLToPath(new URL("../../../core/wit", import.meta.url));

/** The variant of each interface; what a step writes down is one output. */
const COMMANDS = {
  ...{ processes: "process-command", content: "content-command", networks: "network-command" },
  ...{ volumes: "volume-command", timers: "timer-command", replies: "reply-command" },
};

/** Those that a run need not come to, and why. */
export const IN_NO_STORY: Readonly<Record<string, string>> = {
  "networks drop": UNVISITED["network-command drop"]!,
};

/** `content mount`, `replies whole`, and `records` for a transaction; all but those that a run need not come to. */
export async function outputKinds(): Promise<string[]> {
  const { types } = readWit(await readWorld(WIT));
  const kinds = Object.entries(COMMANDS).flatMap(([to, name]) => {
    const variant = types.get(name);
    if (variant?.kind !== "variant") throw new Error(`the WIT has no variant ${name}`);
    return variant.cases.map((one) => `${to} ${one.name}`);
  });
  return [TRANSACTION, "records read", ...kinds].filter((kind) => !(kind in IN_NO_STORY));
}
