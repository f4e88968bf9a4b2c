// JSON as people write it: what fits a line stands on one.

import stringify from "json-stringify-pretty-compact";

const LINE = 60;

/** Lines of at most 60 characters, but for longer strings; two spaces a level. */
export function jsonText(value: unknown): string {
  return stringify(value, { maxLength: LINE });
}
