// Chooses the content coding of an answer as Docker's server does (RFC 9110 §12.5.3, surface §2.13).

import { Compression } from "../../../build/bindings/types";
import { headerOf } from "./headers";

/** In the order of preference; the same order as in `Compression`. */
const CODINGS: string[] = ["identity", "gzip", "deflate"];

/** The coding that the client prefers; none unless it names one. */
export function codingOf(headers: string): Compression {
  const accepted = headerOf(headers, "Accept-Encoding");
  if (accepted === null) return Compression.None;
  const wishes = accepted.toLowerCase().split(",");
  let best = 0;
  let weight: f64 = 0;
  for (let i = 0; i < CODINGS.length; i++) {
    const given = weightOf(wishes, CODINGS[i]);
    if (given <= weight) continue;
    best = i;
    weight = given;
  }
  return <Compression>best;
}

export function nameOfCoding(coding: Compression): string {
  return CODINGS[coding];
}

/** The highest weight given to the coding, or to `*`. */
function weightOf(wishes: string[], coding: string): f64 {
  let weight: f64 = 0;
  for (let i = 0; i < wishes.length; i++) {
    const parts = wishes[i].split(";");
    const name = parts[0].trim();
    if (name == coding || name == "*") weight = max(weight, qualityOf(parts));
  }
  return weight;
}

function qualityOf(parts: string[]): f64 {
  for (let i = 1; i < parts.length; i++) {
    const part = parts[i].trim();
    if (!part.startsWith("q=")) continue;
    const quality = parseFloat(part.slice(2));
    return isNaN(quality) ? 0 : quality;
  }
  return 1;
}
