// Reads a JSON document from UTF-8 bytes. Clients see the error texts,
// which are those of Go's encoding/json. No input makes the code trap.

import { erase } from "../../../build/bindings/erase";
import { TextBuilder } from "../text/builder";
import { arePlainBytes } from "../text/at-once";
import { quoteRune } from "../text/go-quote";
import { decodeUtf8, isAscii } from "../text/utf8";
import { Json } from "./json";

/** Limit of the nesting of arrays and objects. */
export const MAX_DEPTH: i32 = 100;
/**
 * Limit of values in a document from outside: a few megabytes of `[[],[],…` would take hundreds of megabytes as a tree.
 */
export const MAX_VALUES: i32 = 500_000;

/** The document; if null, `jsonError` and `jsonErrorOffset` say why and where. */
export function parseJson(bytes: Uint8Array): Json | null {
  return parse(bytes, MAX_VALUES);
}

/**
 * Reads what the engine itself has written. It has no limit of values, since a record may hold several client
 * documents, and must always be readable.
 */
export function parseKept(bytes: Uint8Array): Json | null {
  return parse(bytes, i32.MAX_VALUE);
}

function parse(bytes: Uint8Array, most: i32): Json | null {
  const reader = new Reader(bytes, most);
  const value = reader.document();
  lastError = reader.error;
  lastOffset = reader.at;
  return value;
}

/** The error of the last document read; empty if there was none. */
export function jsonError(): string {
  return lastError;
}

/** The byte offset at which reading the last document ended. */
export function jsonErrorOffset(): i32 {
  return lastOffset;
}

let lastError: string = "";
let lastOffset: i32 = 0;

export const QUOTE: i32 = 0x22;
const BACKSLASH: i32 = 0x5c;
const SLASH: i32 = 0x2f;
export const COMMA: i32 = 0x2c;
export const COLON: i32 = 0x3a;
export const BRACE_OPEN: i32 = 0x7b;
export const BRACE_CLOSE: i32 = 0x7d;
export const BRACKET_OPEN: i32 = 0x5b;
export const BRACKET_CLOSE: i32 = 0x5d;
/** Stands for the byte after the last one. */
export const END: i32 = -1;

/** Stands for a value that is only checked. It is shared: nobody may change it. */
const UNBUILT: Json = Json.object();

/** Reads values one after the other. After an error it must not be used any more. */
export class Reader {
  /** Where the next value begins. */
  at: i32 = 0;
  error: string = "";
  /** How many arrays and objects are around the next value. */
  depth: i32 = 0;
  private values: i32 = 0;
  /** Values become a tree. */
  private builds: bool = true;
  /** All that was only checked is surely as `jsonBytes` would write it. */
  private plain: bool = true;

  private start: usize;
  private length: i32;

  /** `most`: limit of values. */
  constructor(
    private bytes: Uint8Array,
    private most: i32 = i32.MAX_VALUE,
  ) {
    this.start = bytes.dataStart;
    this.length = bytes.length;
  }

  document(): Json | null {
    if (this.peekToken() == END) return this.fail("EOF");
    const value = this.value();
    if (value !== null && this.peekToken() != END) return this.fail("unexpected content after JSON");
    return value;
  }

  /** Reads the next value. */
  value(): Json | null {
    const byte = this.peekToken();
    if (++this.values > this.most) return this.fail("too many values");
    if (byte == BRACE_OPEN || byte == BRACKET_OPEN) {
      if (++this.depth > MAX_DEPTH) return this.fail("exceeded max depth");
      this.at++;
      const composite = byte == BRACE_OPEN ? this.object() : this.array();
      this.depth--;
      return composite;
    }
    if (byte == QUOTE) {
      const text = this.string();
      return text === null ? null : Json.string(text);
    }
    if (byte == 0x74) return this.literal("true", Json.bool(true));
    if (byte == 0x66) return this.literal("false", Json.bool(false));
    if (byte == 0x6e) return this.literal("null", Json.null());
    if (byte == 0x2d || isDigit(byte)) return this.number();
    return this.unexpected("looking for beginning of value");
  }

  private object(): Json | null {
    const json = this.builds ? Json.object() : UNBUILT;
    if (this.peekToken() == BRACE_CLOSE) {
      this.at++;
      return json;
    }
    while (true) {
      if (this.peekToken() != QUOTE) return this.unexpected("looking for beginning of object key string");
      const key = this.string();
      if (key === null) return null;
      if (this.peekToken() != COLON) return this.unexpected("after object key");
      this.at++;
      const value = this.value();
      if (value === null) return null;
      if (this.builds) {
        json.keys.push(key);
        json.items.push(value);
      }
      const byte = this.peekToken();
      if (byte != COMMA && byte != BRACE_CLOSE) return this.unexpected("after object key:value pair");
      this.at++;
      if (byte == BRACE_CLOSE) return json;
    }
  }

  /** Checks the next value and goes past it. Returns whether it is valid, and surely as `jsonBytes` would write it. */
  pass(): bool {
    this.builds = false;
    this.plain = true;
    const checked = this.value();
    this.builds = true;
    return checked !== null && this.plain;
  }

  private array(): Json | null {
    const json = this.builds ? Json.array() : UNBUILT;
    if (this.peekToken() == BRACKET_CLOSE) {
      this.at++;
      return json;
    }
    while (true) {
      const value = this.value();
      if (value === null) return null;
      if (this.builds) json.items.push(value);
      const byte = this.peekToken();
      if (byte != COMMA && byte != BRACKET_CLOSE) return this.unexpected("after array element");
      this.at++;
      if (byte == BRACKET_CLOSE) return json;
    }
  }

  private literal(word: string, value: Json): Json | null {
    for (let i = 1; i < word.length; i++) {
      this.at++;
      if (this.peek() != word.charCodeAt(i)) {
        return this.unexpected(`in literal ${word} (expecting ${quoteRune(word.charCodeAt(i))})`);
      }
    }
    this.at++;
    return value;
  }

  private number(): Json | null {
    const from = this.at;
    if (this.peek() == 0x2d) this.at++;
    if (!isDigit(this.peek())) return this.unexpected("in numeric literal");
    if (this.peek() == 0x30) this.at++;
    else this.digits();
    if (this.peek() == 0x2e) {
      this.at++;
      if (!isDigit(this.peek())) return this.unexpected("after decimal point in numeric literal");
      this.digits();
    }
    if ((this.peek() | 0x20) == 0x65) {
      this.at++;
      if (this.peek() == 0x2b || this.peek() == 0x2d) this.at++;
      if (!isDigit(this.peek())) return this.unexpected("in exponent of numeric literal");
      this.digits();
    }
    if (!this.builds) return UNBUILT;
    const isNought = this.at - from == 1 && load<u8>(this.start + from) == 0x30;
    return Json.number(isNought ? "0" : decodeUtf8(this.bytes, from, this.at));
  }

  private digits(): void {
    while (isDigit(this.peek())) this.at++;
  }

  /** Reads a string, whose opening quote is next. */
  string(): string | null {
    const from = ++this.at;
    let escaped = false;
    while (true) {
      this.skipPlain();
      const byte = this.peek();
      if (byte == QUOTE) break;
      if (byte < 0x20) {
        this.unexpected("in string literal");
        return null;
      }
      this.at++;
      if (byte == BACKSLASH) {
        escaped = true;
        if (!this.escape()) return null;
      }
    }
    if (!this.builds) {
      if (!isAscii(this.start + from, this.at - from)) this.plain = false;
      this.at++;
      return "";
    }
    const raw = decodeUtf8(this.bytes, from, this.at++);
    return escaped ? unescape(raw) : raw;
  }

  // Most bytes of a string have no special meaning.
  private skipPlain(): void {
    let at = this.at;
    const start = this.start;
    while (at + 8 <= this.length && arePlainBytes(load<u64>(start + at))) at += 8;
    while (at < this.length) {
      const byte = load<u8>(start + at);
      if (byte < 0x20 || byte == QUOTE || byte == BACKSLASH) break;
      at++;
    }
    this.at = at;
  }

  // Called after a backslash; skips the escape sequence.
  private escape(): bool {
    const byte = this.peek();
    if (byte == SLASH || byte == 0x75) this.plain = false;
    if (byte != 0x75) {
      if (simpleEscape(byte) == 0) return this.unexpected("in string escape code") !== null;
      this.at++;
      return true;
    }
    this.at++;
    for (let i = 0; i < 4; i++, this.at++) {
      if (hexDigit(this.peek()) < 0) return this.unexpected("in \\u hexadecimal character escape") !== null;
    }
    return true;
  }

  /** The next byte; `END` after the last one. */
  peek(): i32 {
    return this.at < this.length ? <i32>load<u8>(this.start + this.at) : END;
  }

  private peekToken(): i32 {
    let at = this.at;
    while (at < this.length) {
      const byte = <i32>load<u8>(this.start + at);
      if (byte > 0x20 || (byte != 0x20 && byte != 0x0a && byte != 0x0d && byte != 0x09)) {
        if (at > this.at) this.plain = false;
        this.at = at;
        return byte;
      }
      at++;
    }
    this.at = at;
    return END;
  }

  private unexpected(where: string): Json | null {
    const byte = this.peek();
    if (byte == END) return this.fail("unexpected EOF");
    return this.fail(`invalid character ${quoteRune(byte)} ${where}`);
  }

  private fail(error: string): Json | null {
    this.error = error;
    return null;
  }
}

// The reader has already checked every escape. Unpaired surrogates become U+FFFD, as in Go. Only the result
// stays in memory: it may be a secret, which is erased later.
function unescape(raw: string): string {
  const text = new TextBuilder(raw.length);
  for (let i = 0; i < raw.length; i++) {
    const unit = raw.charCodeAt(i);
    if (unit != BACKSLASH) {
      text.unit(unit);
      continue;
    }
    i++;
    if (raw.charCodeAt(i) != 0x75) {
      text.unit(simpleEscape(raw.charCodeAt(i)));
      continue;
    }
    const first = hexUnit(raw, i + 1);
    i += 4;
    if (first < 0xd800 || first > 0xdfff) {
      text.unit(first);
      continue;
    }
    const second = nextEscapedUnit(raw, i + 1);
    if (first < 0xdc00 && second >= 0xdc00 && second <= 0xdfff) {
      text.unit(first);
      text.unit(second);
      i += 6;
    } else {
      text.unit(0xfffd);
    }
  }
  const result = text.toString();
  text.erase();
  erase(raw);
  return result;
}

function nextEscapedUnit(raw: string, at: i32): i32 {
  if (at + 5 >= raw.length) return -1;
  if (raw.charCodeAt(at) != BACKSLASH || raw.charCodeAt(at + 1) != 0x75) return -1;
  return hexUnit(raw, at + 2);
}

function hexUnit(raw: string, at: i32): i32 {
  let unit = 0;
  for (let i = 0; i < 4; i++) unit = (unit << 4) | hexDigit(raw.charCodeAt(at + i));
  return unit;
}

function simpleEscape(byte: i32): i32 {
  switch (byte) {
    case QUOTE:
    case BACKSLASH:
    case SLASH:
      return byte;
    case 0x62:
      return 0x08;
    case 0x66:
      return 0x0c;
    case 0x6e:
      return 0x0a;
    case 0x72:
      return 0x0d;
    case 0x74:
      return 0x09;
    default:
      return 0;
  }
}

function hexDigit(byte: i32): i32 {
  if (isDigit(byte)) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

function isDigit(byte: i32): bool {
  return byte >= 0x30 && byte <= 0x39;
}
