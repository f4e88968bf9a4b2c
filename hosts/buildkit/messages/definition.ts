// Parts of messages that say what is built (moby/buildkit, solver/pb/ops.proto).

import { many, map, one, type Message } from "./field.js";

/** What a definition consists of is not read: only whether there is one. */
export const definition: Message = { def: many(1, "bytes") };

/** One that a client gets. It takes none without what is said of its steps, which may be nothing. */
export const result: Message = { def: many(1, "bytes"), metadata: map(2, () => ({})) };

const source: Message = { identifier: one(1) };

const step: Message = { source: one(3, () => source) };

/** One that is the input of another build. Its steps are messages by themselves. */
export const input: Message = { def: many(1, () => step) };

export const platform: Message = {
  Architecture: one(1),
  OS: one(2),
  Variant: one(3),
  OSVersion: one(4),
  OSFeatures: many(5),
};

const position: Message = { line: one(1, "int32"), character: one(2, "int32") };

const range: Message = { start: one(1, () => position), end: one(2, () => position) };

const sourceInfo: Message = {
  filename: one(1),
  data: one(2, "bytes"),
  definition: one(3, () => definition),
  language: one(4),
};

/** What all messages about a warning have, beside what it is about: their first field. */
export const warning: Message = {
  level: one(2, "int64"),
  short: one(3, "bytes"),
  detail: many(4, "bytes"),
  url: one(5),
  info: one(6, () => sourceInfo),
  ranges: many(7, () => range),
};
