// Formats JSON for people: what fits on a line stays on one.

import stringify from "json-stringify-pretty-compact";

const LINE = 60;

/** Lines have at most 60 characters, except for longer strings; two spaces per level. */
export function jsonText(value: unknown): string {
  return stringify(value, { maxLength: LINE });
}
