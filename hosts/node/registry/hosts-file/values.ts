// The kinds of values in a `hosts.toml`.

import { parse, TomlError, type TomlTable, type TomlValue } from "smol-toml";

/** Throws an error that repeats nothing of the text: the parser's own quotes lines, and a header in one is a secret. */
export function parsed(text: string): TomlTable {
  try {
    return parse(text);
  } catch (error) {
    throw new Error(error instanceof TomlError ? `invalid TOML in line ${error.line}` : "invalid TOML");
  }
}

/** Without a scheme it is TLS. */
export function urlOf(address: string): URL {
  const whole = address.includes("://") ? address : `https://${address}`;
  const url = URL.canParse(whole) ? new URL(whole) : null;
  // The address is not repeated: it may have a password.
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new Error("an address must be https://host or http://host");
  if (url.username + url.password + url.search + url.hash !== "") {
    throw new Error(`the address of ${url.host} must have no user, query or fragment`);
  }
  return url;
}

export function pathOf({ pathname }: URL, whole: boolean): string {
  const path = pathname.replace(/\/+$/, "");
  return whole || path.endsWith("/v2") ? path : `${path}/v2`;
}

export function tableOf(value: TomlValue, name: string): TomlTable {
  if (typeof value === "object" && !Array.isArray(value) && !(value instanceof Date)) return value;
  throw new Error(`${name} must be a table`);
}

/** One text counts as a list of it. */
export function listOf(value: TomlValue, name: string): string[] {
  return (Array.isArray(value) ? value : [value]).map((one) => textIn(one, name));
}

export function textIn(value: TomlValue, name: string): string {
  if (typeof value === "string") return value;
  throw new Error(`"${name}" must be a text`);
}

/** `1m30s`, `500ms`, `+.5s`: a duration of Go (time.ParseDuration), at least 1 ms. */
export function millisecondsIn(text: string): number {
  const unsigned = text.replace(/^\+/, "");
  const parts = [...unsigned.matchAll(/(\d+\.?\d*|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/g)];
  const whole = Math.round(parts.reduce((sum, [, count, unit]) => sum + Number(count) * UNITS[unit!]!, 0));
  if (parts.map(([part]) => part).join("") === unsigned && whole >= 1 && whole <= LONGEST_MS) return whole;
  throw new Error('"dial_timeout" must be a duration such as 5s');
}

export function flagIn(value: TomlValue, name: string): boolean {
  if (typeof value === "boolean") return value;
  throw new Error(`"${name}" must be true or false`);
}

/** In milliseconds. Micro is the sign of its own (U+00B5) or the Greek letter (U+03BC). */
const UNITS: Readonly<Record<string, number>> = {
  ...{ ns: 1e-6, us: 1e-3, "\u00b5s": 1e-3, "\u03bcs": 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000 },
};
/** What a timer takes. */
const LONGEST_MS = 2 ** 31 - 1;
