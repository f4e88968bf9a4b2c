// Codecs of the values in a trace's lines. For the types of core/wit that enter the core, core/bindgen generates them
// from the WIT (build/core/codecs.ts), field by field, in the WIT's order.

import type { OutputHashes } from "../hashes/index.js";
import { inventory, journalEnd, options, stored } from "../../build/core/codecs.js";
import type { Opening } from "../driver/index.js";
import type { types } from "../shared/index.js";
import { bytes, list, optional, pair, record, s64, text, u64 } from "./codec.js";
import type { Codec } from "./codec.js";

export { input } from "../../build/core/codecs.js";

const instantPair = pair(s64, u64);

/** Written as a pair, since each line has one. */
export const instant: Codec<types.Instant> = {
  write: ({ wall, monotonic }, to) => instantPair.write([wall, monotonic], to),
  decode(json, at) {
    const [wall, monotonic] = instantPair.decode(json, at);
    return { wall, monotonic };
  },
};

/** The arguments of `open` without the time. */
export const opening = record<Opening>({
  options,
  seed: bytes,
  records: list(stored),
  journal: journalEnd,
  inventory,
});

/** The hashes of a step's outputs. This is not a type of the WIT. */
export const hashes = record<OutputHashes>({
  records: optional(text),
  effects: optional(text),
  replies: optional(text),
});
