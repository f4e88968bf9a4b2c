// Words of a Dockerfile line: quotes, backslashes and variables (Dockerfile reference, "Environment replacement").

import { Json } from "../../json/json";
import { parseJson } from "../../json/reader";
import { TextBuilder } from "../../text/builder";
import { encodeUtf8 } from "../../text/utf8";
import { Variables } from "../../text/variables";

const BACKSLASH: i32 = 0x5c;
const DOUBLE: i32 = 0x22;
const SINGLE: i32 = 0x27;
const DOLLAR: i32 = 0x24;

/** Splits at white space outside of quotes; keeps quotes and backslashes. */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  let from = -1;
  let quote = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (quote == 0 && isBlank(unit)) {
      if (from >= 0) words.push(text.slice(from, i));
      from = -1;
      continue;
    }
    if (from < 0) from = i;
    if (unit == BACKSLASH && quote != SINGLE) i++;
    else if (quote == 0 && (unit == DOUBLE || unit == SINGLE)) quote = unit;
    else if (unit == quote) quote = 0;
  }
  if (from >= 0) words.push(text.slice(from));
  return words;
}

/** Resolves quotes, backslashes and variables. Null if the result would be longer than `limit`. */
export function expandWord(word: string, environment: Variables, limit: i32): string | null {
  return new Expansion(word, environment, limit).read();
}

/** The strings of a JSON list; null if the text is not such a list. */
export function jsonWords(text: string): Json | null {
  if (!text.startsWith("[")) return null;
  const list = parseJson(encodeUtf8(text));
  if (list === null || !list.isArray || list.strings().length != list.length) return null;
  return list;
}

export function isBlank(unit: i32): bool {
  return unit == 0x20 || unit == 0x09;
}

class Expansion {
  private at: i32 = 0;
  private unclosed: bool = false;
  private readonly result: TextBuilder = new TextBuilder();

  constructor(
    private readonly word: string,
    private readonly environment: Variables,
    private readonly limit: i32,
  ) {}

  read(): string | null {
    let quote = 0;
    while (this.at < this.word.length) {
      if (this.result.length > this.limit) return null;
      const unit = this.word.charCodeAt(this.at++);
      if (quote == SINGLE) {
        if (unit == SINGLE) quote = 0;
        else this.result.unit(unit);
      } else if (unit == BACKSLASH) {
        this.escaped(quote);
      } else if (unit == DOLLAR) {
        this.variable();
      } else if (unit == quote) {
        quote = 0;
      } else if (quote == 0 && (unit == DOUBLE || unit == SINGLE)) {
        quote = unit;
      } else {
        this.result.unit(unit);
      }
    }
    return this.result.length > this.limit ? null : this.result.toString();
  }

  /** Within double quotes a backslash is literal unless it precedes a character that needs escaping. */
  private escaped(quote: i32): void {
    if (this.at == this.word.length) return;
    const unit = this.word.charCodeAt(this.at++);
    if (quote == DOUBLE && unit != DOUBLE && unit != BACKSLASH && unit != DOLLAR) this.result.unit(BACKSLASH);
    this.result.unit(unit);
  }

  /** `$NAME`, `${NAME}`, `${NAME:-default}`, `${NAME:+instead}`. */
  private variable(): void {
    const braced = this.at < this.word.length && this.word.charCodeAt(this.at) == 0x7b;
    const end = braced ? this.braceEnd() : this.nameEnd(this.at);
    if (end < 0 || end == this.at) {
      this.result.unit(DOLLAR);
      return;
    }
    const inner = this.word.slice(braced ? this.at + 1 : this.at, end);
    this.at = braced ? end + 1 : end;
    const colon = inner.indexOf(":");
    const value = this.environment.valueOf(colon < 0 ? inner : inner.slice(0, colon));
    const modifier = colon < 0 ? "" : inner.slice(colon + 1);
    if (modifier.startsWith("-")) this.result.text(value.length > 0 ? value : modifier.slice(1));
    else if (modifier.startsWith("+")) this.result.text(value.length > 0 ? modifier.slice(1) : "");
    else this.result.text(value);
  }

  private nameEnd(from: i32): i32 {
    let end = from;
    while (end < this.word.length && isNameUnit(this.word.charCodeAt(end))) end++;
    return end;
  }

  // If the closing brace is missing, the search is not repeated.
  private braceEnd(): i32 {
    if (this.unclosed) return -1;
    const end = this.word.indexOf("}", this.at);
    this.unclosed = end < 0;
    return end;
  }
}

function isNameUnit(unit: i32): bool {
  const lower = unit | 0x20;
  return (unit >= 0x30 && unit <= 0x39) || (lower >= 0x61 && lower <= 0x7a) || unit == 0x5f;
}
