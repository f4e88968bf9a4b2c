// Header lines of a request: `Name: value`, separated by LF, as the host passes them.

/** Delimiters (RFC 9110 §5.6.2). */
const SEPARATORS = '"(),/:;<=>?@[\\]{}';

/** The value of the first header with this name, trimmed; null if there is none. Names are case-insensitive. */
export function headerOf(headers: string, name: string): string | null {
  let from = 0;
  while (from < headers.length) {
    let end = headers.indexOf("\n", from);
    if (end < 0) end = headers.length;
    if (isNamed(headers, from, end, name)) {
      from += name.length + 1;
      while (from < end && isBlank(headers.charCodeAt(from))) from++;
      while (end > from && isBlank(headers.charCodeAt(end - 1))) end--;
      return headers.substring(from, end);
    }
    from = end + 1;
  }
  return null;
}

/** The values of all headers with this name, as `headerOf` gives the first. */
export function valuesOf(headers: string, name: string): string[] {
  const values: string[] = [];
  const lines = headers.split("\n");
  for (let i = 0; i < lines.length; i++) {
    const value = headerOf(lines[i], name);
    if (value !== null) values.push(value);
  }
  return values;
}

/** Values of all headers that begin with `prefix` (lowercase), as lines `Name: value`. */
export function headersWithPrefix(headers: string, prefix: string): string[] {
  const found: string[] = [];
  const lines = headers.split("\n");
  for (let i = 0; i < lines.length; i++) {
    if (lines[i].toLowerCase().startsWith(prefix)) found.push(lines[i].trim());
  }
  return found;
}

/**
 * The media type of a Content-Type value without parameters, in lower case: `application/json`; empty if it is invalid.
 */
export function mediaTypeOf(value: string): string {
  return mediaTypeFault(value).length == 0 ? beforeParameters(value) : "";
}

/**
 * Docker's refusal of a body that may not be read as JSON; null if it may (surface §2.2). `hasBody`: the body has at
 * least one byte, or an unknown length.
 */
export function jsonTypeRefusal(headers: string, hasBody: bool): string | null {
  const header = headerOf(headers, "Content-Type");
  const value = header === null ? "" : header;
  // Nearly every client sends it like this.
  if (value == "application/json" || (value.length == 0 && !hasBody)) return null;
  const fault = mediaTypeFault(value);
  if (fault.length > 0) return `malformed Content-Type header (${value}): mime: ${fault}`;
  if (beforeParameters(value) == "application/json") return null;
  return `unsupported Content-Type header (${value}): must be 'application/json'`;
}

function beforeParameters(value: string): string {
  const semicolon = value.indexOf(";");
  return (semicolon < 0 ? value : value.substring(0, semicolon)).trim().toLowerCase();
}

// Go's error for an invalid media type; a single word is accepted.
function mediaTypeFault(value: string): string {
  const type = beforeParameters(value);
  const word = tokenEnd(type, 0);
  if (word == 0) return "no media type";
  if (word == type.length) return "";
  if (type.charCodeAt(word) != 0x2f) return "expected slash after first token";
  const end = tokenEnd(type, word + 1);
  if (end == word + 1) return "expected token after slash";
  return end == type.length ? "" : "unexpected content after media subtype";
}

function tokenEnd(text: string, from: i32): i32 {
  let at = from;
  while (at < text.length && isTokenUnit(text.charCodeAt(at))) at++;
  return at;
}

function isNamed(headers: string, from: i32, end: i32, name: string): bool {
  if (end - from <= name.length || headers.charCodeAt(from + name.length) != 0x3a) return false;
  return hasAt(headers, from, name);
}

/** Whether the word is at this position, ignoring case. The text must be long enough. */
export function hasAt(text: string, at: i32, word: string): bool {
  for (let i = 0; i < word.length; i++) {
    if (lower(text.charCodeAt(at + i)) != lower(word.charCodeAt(i))) return false;
  }
  return true;
}

function isBlank(unit: i32): bool {
  return unit == 0x20 || (unit >= 0x09 && unit <= 0x0d);
}

export function lower(unit: i32): i32 {
  return unit >= 0x41 && unit <= 0x5a ? unit + 0x20 : unit;
}

// RFC 9110 §5.6.2
function isTokenUnit(unit: i32): bool {
  if (unit <= 0x20 || unit >= 0x7f) return false;
  for (let i = 0; i < SEPARATORS.length; i++) if (SEPARATORS.charCodeAt(i) == unit) return false;
  return true;
}
