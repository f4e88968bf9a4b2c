// Searches a file for texts in any form: plain, escaped, in UTF-16, base64 or hex, and in all these forms again inside
// decoded base64, and inside the lines of a trace that are deflated.

import { inflateRawSync } from "node:zlib";

/** A run of these characters is taken for base64 if it is so long. */
const ENCODED = new Set(Buffer.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-"));
const SHORTEST = 24;

/** Before what a trace has deflated (hosts/trace/lines.ts). */
const DEFLATED = '"deflated":"';

/** Stands between texts that are searched as one. No form of a secret contains these bytes. */
const BETWEEN = Buffer.from([0xff, 0xff]);

/** The `secrets` that were found. */
export function secretsIn(bytes: Buffer, secrets: readonly string[]): string[] {
  const outer = [...inflatedIn(bytes), ...decodedIn(bytes)];
  const inner = outer.flatMap((place) => decodedIn(place));
  // There are thousands of decoded texts, most of them shorter than a form of a secret.
  const all = Buffer.concat([bytes, ...outer, ...inner].flatMap((place) => [place, BETWEEN]));
  return secrets.filter((secret) => formsOf(secret).some((form) => all.includes(form)));
}

function inflatedIn(place: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let at = place.indexOf(DEFLATED); at >= 0; at = place.indexOf(DEFLATED, at + 1)) {
    const from = at + DEFLATED.length;
    const text = place.toString("latin1", from, place.indexOf('"', from));
    const bytes = Buffer.from(text, "base64");
    if (text !== "" && bytes.toString("base64") === text) found.push(inflateRawSync(bytes));
  }
  return found;
}

/** No regular expression: those of V8 fail for a run of 16 MiB, as traces have them. */
function decodedIn(place: Buffer): Buffer[] {
  const isEncoded = Array.from({ length: 256 }, (_, byte) => ENCODED.has(byte));
  const found: Buffer[] = [];
  for (let at = 0, from = 0; at <= place.length; at++) {
    if (at < place.length && isEncoded[place[at]!]) continue;
    if (at - from >= SHORTEST) found.push(Buffer.from(place.toString("latin1", from, at), "base64"));
    from = at + 1;
  }
  return found;
}

/** As text and as bytes, and in base64 at any offset. */
function formsOf(secret: string): Buffer[] {
  const texts = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)];
  const bytes = [...new Set(texts)].flatMap((text) => [Buffer.from(text), Buffer.from(text, "utf16le")]);
  const encoded = bytes.flatMap((one) => [Buffer.from(one.toString("hex")), ...inBase64(one)]);
  return [...bytes, ...encoded];
}

/** Characters that depend on neighbouring bytes are left out. */
function inBase64(bytes: Buffer): Buffer[] {
  return [0, 1, 2].map((offset) => {
    const shifted = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    return Buffer.from(shifted.slice(offset === 0 ? 0 : 4, Math.floor((offset + bytes.length) / 3) * 4));
  });
}
