// Which of the types for streams of JSON objects a client wants (surface §2.6).

import { Call } from "../call";
import { headerOf } from "./headers";

export const JSON_LINES: string = "application/jsonl";
export const JSON_SEQUENCE: string = "application/json-seq";
/** The first of those that a client likes as much is taken. */
const TYPES: string[] = [JSON_LINES, "application/x-ndjson", JSON_SEQUENCE];

/** By `Accept` (RFC 9110 §12.5.1), of which only exact names count; empty: none of them is named. */
export function acceptedJsonStream(call: Call): string {
  const header = headerOf(call.request.headers, "Accept");
  const accepted: string[] = header === null ? [] : header.split(",");
  let best = "";
  let bestWeight: f64 = 0;
  for (let i = 0; i < TYPES.length; i++) {
    for (let j = 0; j < accepted.length; j++) {
      const parts = accepted[j].split(";");
      if (parts[0].trim().toLowerCase() != TYPES[i]) continue;
      const weight = weightOf(parts);
      if (weight <= bestWeight) continue;
      best = TYPES[i];
      bestWeight = weight;
    }
  }
  return best;
}

/** The parameter `q` of an entry, from 0 to 1; nonsense is 0. */
function weightOf(parts: string[]): f64 {
  for (let i = 1; i < parts.length; i++) {
    const parameter = parts[i].trim().toLowerCase();
    if (!parameter.startsWith("q=")) continue;
    const weight = parseFloat(parameter.substring(2));
    return weight >= 0 && weight <= 1 ? weight : 0;
  }
  return 1;
}
