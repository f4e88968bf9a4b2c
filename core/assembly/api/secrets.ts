// Removes credentials in headers and query parameters from requests, so that no snapshot contains them.

import { erase } from "../../../build/bindings/erase";
import { decodeQuery, Query } from "../text/url";
import { hasAt, lower } from "./headers";

/**
 * Parts of the names of headers and parameters that hold, or may hold, credentials; traces hide the same ones. A
 * `Referer` is a URL whose query may hold any of them, and `X-Meta-*` is whatever a client passes on to a registry.
 */
const SECRET_WORDS: string[] = [
  "auth",
  "registry-config",
  "x-meta-",
  "cookie",
  "referer",
  "token",
  "secret",
  "password",
  "credential",
  "apikey",
  "api-key",
];
/** The one parameter with such a name that an endpoint reads: a commit's. */
const AUTHOR = "author";
const EQUALS: i32 = 0x3d;

/** Overwrites the values of headers that may hold credentials, in place. */
export function eraseSecretHeaders(headers: string): void {
  let from = 0;
  while (from < headers.length) {
    const end = endAt(headers, "\n", from);
    const colon = headers.indexOf(":", from);
    if (colon >= 0 && colon < end && soundsSecret(headers, from, colon)) erase(headers, colon + 1, end);
    from = end + 1;
  }
}

/** Overwrites the values of parameters that may hold credentials, in place. No endpoint reads such a parameter. */
export function eraseSecretParameters(target: string): void {
  let from = target.indexOf("?") + 1;
  if (from == 0) return;
  while (from < target.length) {
    const end = endAt(target, "&", from);
    const equals = endOfName(target, from, end);
    if (equals < end && isSecret(decodeQuery(target.substring(from, equals)))) {
      erase(target, equals + 1, end);
    }
    from = end + 1;
  }
}

/** Removes them from the parsed query. */
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

/** Overwrites the values of one parameter, in place: in the target and in the parsed query. It has been read. */
export function eraseParameter(target: string, query: Query, name: string): void {
  for (let i = 0; i < query.names.length; i++) {
    if (query.names[i] == name) erase(query.values[i]);
  }
  let from = target.indexOf("?") + 1;
  while (from > 0 && from < target.length) {
    const end = endAt(target, "&", from);
    const equals = endOfName(target, from, end);
    if (equals < end && decodeQuery(target.substring(from, equals)) == name) {
      erase(target, equals + 1, end);
    }
    from = end + 1;
  }
}

/**
 * Where the `=` of a pair is, or its end. Searches only this pair: otherwise many names without a value would each cost
 * a search to the end of the target.
 */
function endOfName(target: string, from: i32, end: i32): i32 {
  let equals = from;
  while (equals < end && target.charCodeAt(equals) != EQUALS) equals++;
  return equals;
}

function isSecret(parameter: string): bool {
  return parameter != AUTHOR && soundsSecret(parameter, 0, parameter.length);
}

function soundsSecret(text: string, from: i32, end: i32): bool {
  for (let at = from; at < end; at++) {
    const first = lower(text.charCodeAt(at));
    for (let i = 0; i < SECRET_WORDS.length; i++) {
      const word = unchecked(SECRET_WORDS[i]);
      if (word.charCodeAt(0) == first && at + word.length <= end && hasAt(text, at, word)) return true;
    }
  }
  return false;
}

function endAt(text: string, separator: string, from: i32): i32 {
  const end = text.indexOf(separator, from);
  return end < 0 ? text.length : end;
}
