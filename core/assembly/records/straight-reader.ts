// Reads a record straight from its bytes, without a tree: at a start, most of the time and of the memory would go into
// trees. The record must look as `FieldWriter` writes it: all fields in the order of the list, and nothing else.
// Of any other record nothing is used; `FieldReader` then reads it, or says what is wrong.

import { JsonKind } from "../json/json";
import { BRACE_CLOSE, BRACE_OPEN, BRACKET_CLOSE, BRACKET_OPEN, COLON, COMMA, END, QUOTE, Reader } from "../json/reader";
import { jsonBytes } from "../json/writer";
import { Fields } from "./fields";

/** Digits of the largest number of 64 bits with a sign. */
const MOST_DIGITS: i32 = 19;
const MINUS: i32 = 0x2d;
const ZERO: i32 = 0x30;

export class StraightReader extends Fields {
  private readonly json: Reader;
  /** The record, or a value in it, looks different. */
  private odd: bool = false;
  /** What the next member or item follows: the bracket that opened the object or list, or a comma. */
  private before: i32 = BRACE_OPEN;

  constructor(private readonly bytes: Uint8Array) {
    super();
    this.json = new Reader(bytes);
    this.json.depth = 1;
  }

  /** Whether all fields were read, and the record has no others. */
  ended(): bool {
    this.close(BRACE_CLOSE);
    return !this.odd && this.json.peek() == END;
  }

  has(name: string, _there: bool): bool {
    return !this.odd && this.isMember(name);
  }

  text(name: string, value: string): string {
    if (!this.enter(name)) return value;
    const text = this.string();
    return text === null ? value : text;
  }

  bool(name: string, value: bool): bool {
    if (!this.enter(name)) return value;
    const found = this.json.value();
    if (found === null || found.kind != JsonKind.Bool) this.odd = true;
    return found !== null && found.bool;
  }

  number(name: string, value: i64): i64 {
    return this.within(name, value, i64.MIN_VALUE, i64.MAX_VALUE);
  }

  within(name: string, value: i64, least: i64, most: i64): i64 {
    if (!this.enter(name)) return value;
    const number = this.integer();
    if (number < least || number > most) this.odd = true;
    return number;
  }

  texts(name: string, values: string[]): string[] {
    if (!this.enterInto(name, BRACKET_OPEN)) return values;
    const texts: string[] = [];
    while (this.another()) {
      const text = this.string();
      if (text !== null) texts.push(text);
    }
    this.close(BRACKET_CLOSE);
    return texts;
  }

  textMap(name: string, keys: string[], values: string[]): void {
    if (!this.enterInto(name, BRACE_OPEN)) return;
    while (this.another()) {
      const key = this.string();
      this.expect(COLON);
      const value = this.string();
      if (key === null || value === null) continue;
      keys.push(key);
      values.push(value);
    }
    this.close(BRACE_CLOSE);
  }

  document(name: string, json: Uint8Array): Uint8Array {
    if (!this.enter(name)) return json;
    const from = this.json.at;
    if (this.json.peek() == BRACE_OPEN) {
      if (this.json.pass()) return this.bytes.slice(from, this.json.at);
      this.json.at = from;
      const tree = this.json.value();
      if (tree !== null) return jsonBytes(tree);
    }
    this.odd = true;
    return json;
  }

  beginPart(name: string): void {
    this.enterInto(name, BRACE_OPEN);
  }

  beginList(name: string): void {
    this.enterInto(name, BRACKET_OPEN);
  }

  beginItem(_at: i32, _length: i32): bool {
    return this.another() && this.open(BRACE_OPEN);
  }

  end(): void {
    this.close(BRACE_CLOSE);
  }

  endList(): void {
    this.close(BRACKET_CLOSE);
  }

  /** Goes to a member's value. */
  private enter(name: string): bool {
    if (!this.has(name, true)) this.odd = true;
    if (this.odd) return false;
    // Around the name are a comma or bracket, two quotes and a colon.
    this.json.at += name.length + 4;
    this.before = COMMA;
    return true;
  }

  private enterInto(name: string, bracket: i32): bool {
    return this.enter(name) && this.open(bracket);
  }

  /** The bracket stays where it is until what follows it is read. */
  private open(bracket: i32): bool {
    if (this.json.peek() != bracket) this.odd = true;
    this.json.depth++;
    this.before = bracket;
    return !this.odd;
  }

  /** Goes to the next item of a list or to the next name of an object; false if there is none. */
  private another(): bool {
    if (this.odd || this.json.peek() != this.before) return false;
    this.json.at++;
    if (this.before != COMMA && (this.json.peek() | 0x20) == BRACE_CLOSE) {
      this.json.at--;
      return false;
    }
    this.before = COMMA;
    return true;
  }

  private close(bracket: i32): void {
    if (this.before != COMMA) this.expect(this.before);
    this.expect(bracket);
    this.json.depth--;
    this.before = COMMA;
  }

  private expect(byte: i32): void {
    if (this.json.peek() != byte) this.odd = true;
    this.json.at++;
  }

  private string(): string | null {
    if (this.json.peek() != QUOTE) this.odd = true;
    const text: string | null = this.odd ? null : this.json.string();
    if (text === null) this.odd = true;
    return text;
  }

  private integer(): i64 {
    const negative = this.json.peek() == MINUS;
    if (negative) this.json.at++;
    const from = this.json.at;
    let number: u64 = 0;
    for (let digit = this.digit(); digit <= 9; digit = this.digit()) {
      number = number * 10 + digit;
      this.json.at++;
    }
    const digits = this.json.at - from;
    const most = negative ? <u64>i64.MIN_VALUE : <u64>i64.MAX_VALUE;
    if (digits < 1 || digits > MOST_DIGITS || number > most) this.odd = true;
    else if (this.byteAt(from) == ZERO && (negative || digits > 1)) this.odd = true;
    return negative ? 0 - <i64>number : <i64>number;
  }

  /** The next byte as a digit; more than 9 if it is none. */
  private digit(): u32 {
    return <u32>(this.json.peek() - ZERO);
  }

  private isMember(name: string): bool {
    const nameAt = this.json.at + 2;
    const nameEnd = nameAt + name.length;
    if (nameEnd + 2 > this.bytes.length) return false;
    if (this.byteAt(nameAt - 2) != this.before || this.byteAt(nameAt - 1) != QUOTE) return false;
    if (this.byteAt(nameEnd) != QUOTE || this.byteAt(nameEnd + 1) != COLON) return false;
    for (let i = 0; i < name.length; i++) if (this.byteAt(nameAt + i) != name.charCodeAt(i)) return false;
    return true;
  }

  private byteAt(at: i32): i32 {
    return <i32>load<u8>(this.bytes.dataStart + at);
  }
}
