// pax records: `LENGTH KEY=VALUE\n`, with any bytes as values (POSIX.1-2001, pax extended header).

import { malformed } from "./header.js";
import { latin1Of } from "./latin1.js";
import { MAP, takeSparsePart } from "./sparse.js";

/** Adds a header's records to those that apply already. An empty value removes a record. */
export function parsePax(body: Uint8Array, into: Map<string, string>): void {
  const parts: string[] = [];
  for (let at = 0, end = 0; at < body.length; at = end) {
    const blank = body.indexOf(0x20, at);
    const length = Number(latin1Of(body, at, blank));
    end = at + length;
    const equals = body.indexOf(0x3d, blank);
    const whole = blank > at && length > 0 && end <= body.length && equals > blank && equals < end;
    if (!whole || body[end - 1] !== 0x0a) throw malformed();
    const key = latin1Of(body, blank + 1, equals);
    const value = latin1Of(body, equals + 1, end - 1);
    if (takeSparsePart(key, value, parts)) continue;
    if (value === "") into.delete(key);
    else into.set(key, value);
  }
  if (parts.length > 0) into.set(MAP, parts.join(","));
}

/** One record; key and value are bytes. */
export function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  let length = rest.length;
  // The length counts its own digits.
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return `${length}${rest}`;
}

/** Decimal seconds, perhaps with a fraction, as nanoseconds. */
export function parseTime(value: string): bigint {
  const match = /^(-?)(\d{1,12})(?:\.(\d*))?$/.exec(value);
  if (!match) throw malformed();
  const [, sign, seconds = "0", fraction = ""] = match;
  const nanoseconds = BigInt(seconds) * 1_000_000_000n + BigInt(fraction.slice(0, 9).padEnd(9, "0"));
  return sign ? -nanoseconds : nanoseconds;
}

/** The inverse of `parseTime`. */
export function formatTime(nanoseconds: bigint): string {
  const sign = nanoseconds < 0n ? "-" : "";
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  const fraction = String(size % 1_000_000_000n)
    .padStart(9, "0")
    .replace(/0+$/, "");
  return `${sign}${size / 1_000_000_000n}${fraction && `.${fraction}`}`;
}
