// What a trace's lines tell. The codecs of the types of core/wit that enter the core are made of the WIT, by core/bindgen
// (build/core/codecs.ts): field by field, in its order.

import { inventory, journalEnd, options, stored } from "../../build/core/codecs.js";
import type { Opening } from "../driver/index.js";
import type { types } from "../shared/host.js";
import { bytes, list, optional, pair, record, s64, text, u64 } from "./codec.js";
import type { Codec } from "./codec.js";
import type { OutputHashes } from "./format.js";

export { input } from "../../build/core/codecs.js";

const instantPair = pair(s64, u64);

/** In short: each line has one. */
export const instant: Codec<types.Instant> = {
  write: ({ wall, monotonic }, to) => instantPair.write([wall, monotonic], to),
  decode(json, at) {
    const [wall, monotonic] = instantPair.decode(json, at);
    return { wall, monotonic };
  },
};

/** What `open` is told, but for the time. */
export const opening = record<Opening>({
  options,
  seed: bytes,
  records: list(stored),
  journal: journalEnd,
  inventory,
});

/** What came of a step, which is no value of the WIT's. */
export const hashes = record<OutputHashes>({
  records: optional(text),
  effects: optional(text),
  replies: optional(text),
});
