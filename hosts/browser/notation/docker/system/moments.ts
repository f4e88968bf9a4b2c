// Parses times in options.

import { misread } from "../wrong.js";

/** Converts a date to the API's seconds; seconds stay as they are. A relative time depends on the world's clock. */
export function momentOf(text: string | null): string | null {
  if (text !== null && /^[\d.]+(ms|s|m|h)/.test(text))
    throw misread(text, "time here: use a date or seconds since 1970");
  if (text === null || !/^\d{4}-\d\d-\d\d/.test(text)) return text;
  const time = Date.parse(
    /T.*(Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text.includes("T") ? text : `${text}T00:00:00`}Z`,
  );
  return Number.isNaN(time) ? text : `${Math.floor(time / 1000)}.${String(time % 1000).padStart(3, "0")}000000`;
}
