// Chooses the media type for a stream of JSON objects (surface §2.6).

import { Call } from "../call";
import { headerOf } from "./headers";

export const JSON_LINES: string = "application/jsonl";
export const JSON_SEQUENCE: string = "application/json-seq";
/** If the client likes several equally, the first is used. */
const TYPES: string[] = [JSON_LINES, "application/x-ndjson", JSON_SEQUENCE];

/** The type according to `Accept` (RFC 9110 §12.5.1), where only exact names count; empty if none of them is named. */
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

/** The parameter `q` of an entry, from 0 to 1; 0 if it is invalid. */
function weightOf(parts: string[]): f64 {
  for (let i = 1; i < parts.length; i++) {
    const parameter = parts[i].trim().toLowerCase();
    if (!parameter.startsWith("q=")) continue;
    const weight = parseFloat(parameter.substring(2));
    return weight >= 0 && weight <= 1 ? weight : 0;
  }
  return 1;
}
