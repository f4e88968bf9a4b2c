// What a request tells that nobody may find in a snapshot: credentials in its headers, and in its query.

import { erase } from "../../../build/bindings/erase";
import { decodeQuery, Query } from "../text/url";
import { hasAt } from "./headers";

/**
 * Parts of names that hold credentials, or sound like it, of headers and of parameters: those that traces hide, too. A
 * `Referer` is an address, whose query may hold any.
 */
const SECRET_WORDS: string[] = [
  "auth",
  "registry-config",
  "cookie",
  "referer",
  "token",
  "secret",
  "password",
  "credential",
  "apikey",
  "api-key",
];
/** The one parameter that sounds like it, and that an endpoint knows: a commit's. */
const AUTHOR = "author";
const EQUALS: i32 = 0x3d;

/** Blanks the values of headers that hold credentials, or sound like it, in place and for good. */
export function eraseSecretHeaders(headers: string): void {
  let from = 0;
  while (from < headers.length) {
    const end = endAt(headers, "\n", from);
    const colon = headers.indexOf(":", from);
    if (colon >= 0 && colon < end && soundsSecret(headers, from, colon)) erase(headers, colon + 1, end);
    from = end + 1;
  }
}

/** Blanks the values of parameters that sound like credentials, in place and for good: no endpoint knows such a one. */
export function eraseSecretParameters(target: string): void {
  let from = target.indexOf("?") + 1;
  if (from == 0) return;
  while (from < target.length) {
    const end = endAt(target, "&", from);
    // Not beyond the pair: many without a value would each be looked through to the target's end.
    let equals = from;
    while (equals < end && target.charCodeAt(equals) != EQUALS) equals++;
    if (equals < end && isSecret(decodeQuery(target.substring(from, equals)))) {
      erase(target, equals + 1, end);
    }
    from = end + 1;
  }
}

/** The query without them. */
export function forgetSecretParameters(query: Query): void {
  const names: string[] = [];
  const values: string[] = [];
  for (let i = 0; i < query.names.length; i++) {
    if (isSecret(query.names[i])) continue;
    names.push(query.names[i]);
    values.push(query.values[i]);
  }
  query.names = names;
  query.values = values;
}

function isSecret(parameter: string): bool {
  return parameter != AUTHOR && soundsSecret(parameter, 0, parameter.length);
}

function soundsSecret(text: string, from: i32, end: i32): bool {
  for (let i = 0; i < SECRET_WORDS.length; i++) {
    const word = SECRET_WORDS[i];
    for (let at = from; at + word.length <= end; at++) if (hasAt(text, at, word)) return true;
  }
  return false;
}

function endAt(text: string, separator: string, from: i32): i32 {
  const end = text.indexOf(separator, from);
  return end < 0 ? text.length : end;
}
