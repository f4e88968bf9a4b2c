// Request targets, percent-encoding and urlencoded pairs, as Go's net/url reads them.

import { TextBuilder } from "./builder";
import { quoteText } from "./go-quote";
import { hexValue } from "./hex";
import { decodeUtf8, encodeUtf8 } from "./utf8";

/** A request's target, split in two parts that are not yet decoded. An absolute URL loses its scheme and authority. */
export class Target {
  /** Begins with `/`. */
  path: string;
  /** Without the `?`. */
  query: string = "";

  constructor(target: string) {
    let rest = target;
    const scheme = rest.indexOf("://");
    if (scheme > 0 && rest.indexOf("/") > scheme && rest.indexOf("?") != 0) {
      const slash = rest.indexOf("/", scheme + 3);
      const mark = rest.indexOf("?", scheme + 3);
      if (slash >= 0 && (mark < 0 || slash < mark)) rest = rest.substring(slash);
      else rest = "/" + (mark < 0 ? "" : rest.substring(mark));
    } else if (isOldNotation(rest)) {
      // Old versions of curl send `http:/v1.41/…` as the user typed it.
      rest = rest.substring(rest.indexOf("/"));
    }
    const fragment = rest.indexOf("#");
    if (fragment >= 0) rest = rest.substring(0, fragment);
    const mark = rest.indexOf("?");
    this.path = mark < 0 ? rest : rest.substring(0, mark);
    if (mark >= 0) this.query = rest.substring(mark + 1);
    if (!this.path.startsWith("/")) this.path = "/" + this.path;
  }
}

/** Decodes `%XX`; null if a `%` is not followed by two hex digits. */
export function decodePath(text: string): string | null {
  return decodePercent(text, false);
}

/** The same for part of a query, where `+` is a space; invalid escapes stay as they are. */
export function decodeQuery(text: string): string {
  const decoded = decodePercent(text, true);
  return decoded === null ? text : decoded;
}

/** The pairs of a query or of an urlencoded form, in order. */
export class Query {
  names: string[] = [];
  values: string[] = [];
  /** Go's error for the first pair that cannot be decoded (which is left out); empty if there is none. */
  error: string = "";

  constructor(query: string = "") {
    this.add(query);
  }

  /** Appends the pairs of a query or form. A form takes precedence over the query, so add the form first. */
  add(query: string): void {
    if (query.length == 0) return;
    const pairs = query.split("&");
    for (let i = 0; i < pairs.length; i++) this.addPair(pairs[i]);
  }

  addForm(bytes: Uint8Array): void {
    this.add(decodeUtf8(bytes));
  }

  /** The first value with a name, or `""`. */
  first(name: string): string {
    const at = this.names.indexOf(name);
    return at < 0 ? "" : this.values[at];
  }

  has(name: string): bool {
    return this.names.includes(name);
  }

  /** All values with a name, in order. */
  all(name: string): string[] {
    const values: string[] = [];
    for (let i = 0; i < this.names.length; i++) {
      if (this.names[i] == name) values.push(this.values[i]);
    }
    return values;
  }

  private addPair(pair: string): void {
    if (pair.length == 0) return;
    if (pair.includes(";")) {
      this.fail("invalid semicolon separator in query");
      return;
    }
    const equals = pair.indexOf("=");
    const name = equals < 0 ? pair : pair.substring(0, equals);
    const value = equals < 0 ? "" : pair.substring(equals + 1);
    const decodedName = decodePercent(name, true);
    const decodedValue = decodePercent(value, true);
    if (decodedName === null || decodedValue === null) {
      this.fail("invalid URL escape " + quoteText(badEscape(decodedName === null ? name : value)));
      return;
    }
    this.names.push(decodedName);
    this.values.push(decodedValue);
  }

  private fail(error: string): void {
    if (this.error == "") this.error = error;
  }
}

/** Makes a target fit for a header: every byte that is not a visible ASCII character becomes `%XX`. */
export function visibleAscii(target: string): string {
  const bytes = encodeUtf8(target);
  const result = new TextBuilder(bytes.length);
  for (let i = 0; i < bytes.length; i++) {
    const byte = <i32>bytes[i];
    if (byte > 0x20 && byte < 0x7f) result.unit(byte);
    else result.text("%" + byte.toString(16).toUpperCase().padStart(2, "0"));
  }
  return result.toString();
}

/** Escapes a name or value of a query as Go's url.QueryEscape does. */
export function escapeQuery(text: string): string {
  const bytes = encodeUtf8(text);
  const result = new TextBuilder(bytes.length);
  for (let i = 0; i < bytes.length; i++) {
    const byte = <i32>bytes[i];
    if (isUnreserved(byte)) result.unit(byte);
    else if (byte == 0x20) result.text("+");
    else result.text("%" + byte.toString(16).toUpperCase().padStart(2, "0"));
  }
  return result.toString();
}

function isUnreserved(c: i32): bool {
  if ((c >= 0x30 && c <= 0x39) || (c >= 0x41 && c <= 0x5a) || (c >= 0x61 && c <= 0x7a)) return true;
  return c == 0x2d || c == 0x2e || c == 0x5f || c == 0x7e;
}

function isOldNotation(target: string): bool {
  return target.startsWith("http:/") || target.startsWith("https:/");
}

function decodePercent(text: string, plusIsSpace: bool): string | null {
  if (!text.includes("%") && !(plusIsSpace && text.includes("+"))) return text;
  const bytes = encodeUtf8(text);
  let written = 0;
  for (let i = 0; i < bytes.length; i++) {
    let byte = bytes[i];
    if (byte == 0x25) {
      if (i + 2 >= bytes.length) return null;
      const high = hexValue(bytes[i + 1]);
      const low = hexValue(bytes[i + 2]);
      if (high < 0 || low < 0) return null;
      byte = <u8>((high << 4) | low);
      i += 2;
    } else if (plusIsSpace && byte == 0x2b) {
      byte = 0x20;
    }
    bytes[written++] = byte;
  }
  return decodeUtf8(bytes, 0, written);
}

// The first invalid escape: at most three characters.
function badEscape(text: string): string {
  for (let i = text.indexOf("%"); i >= 0; i = text.indexOf("%", i + 1)) {
    const whole = i + 2 < text.length;
    if (!whole || hexValue(text.charCodeAt(i + 1)) < 0 || hexValue(text.charCodeAt(i + 2)) < 0) {
      return text.substring(i, min(i + 3, text.length));
    }
  }
  return text;
}
