// An event in the journal's format, with an index of its strings. Large events are matched and sent from the bytes;
// only the strings that are needed are decoded.

import { decodeUtf8, utf8Length, wholeFrom } from "../text/utf8";
import { countTexts, HEAD, inThisForm, LENGTH } from "./entry-form";
import { OWN, precedes } from "./event";

/** Larger entries are sent in pieces of this many bytes. */
export const PIECE: i32 = 64 * 1024;

const TYPE: i32 = 0;
export const ACTION: i32 = 1;
export const ID: i32 = 2;
/** Index of the first attribute's name; its value is next, and so on. */
export const ATTRIBUTES: i32 = 3;

export class Entry {
  /** Offsets of the strings. */
  private readonly starts: StaticArray<i32>;
  private readonly known: StaticArray<string | null> = new StaticArray<string | null>(ATTRIBUTES);
  /** The JSON line as last written, and its version: see `sharedLineOf`. */
  written: Uint8Array | null = null;
  writtenFor: i32 = 0;

  /** Null for invalid bytes. */
  static of(bytes: Uint8Array): Entry | null {
    const found = inThisForm(bytes);
    return found === null ? null : new Entry(found);
  }

  /** `bytes`: an entry in the current format. */
  constructor(readonly bytes: Uint8Array) {
    const starts = new StaticArray<i32>(countTexts(bytes));
    let at = HEAD;
    for (let i = 0; i < starts.length; i++) {
      starts[i] = at + LENGTH;
      at += LENGTH + load<i32>(bytes.dataStart + at);
    }
    this.starts = starts;
  }

  /** Nanoseconds since 1970. */
  get at(): i64 {
    return load<i64>(this.bytes.dataStart, 1);
  }

  get type(): string {
    return this.head(TYPE);
  }

  get action(): string {
    return this.head(ACTION);
  }

  /** The actor's id. */
  get id(): string {
    return this.head(ID);
  }

  /** The entry is sent in pieces. */
  get large(): bool {
    return this.bytes.length > PIECE;
  }

  /** Size in memory, in bytes. */
  get size(): i32 {
    return this.bytes.length + 4 * this.starts.length;
  }

  get attributeCount(): i32 {
    return (this.starts.length - ATTRIBUTES) >> 1;
  }

  /** Index of an attribute's value; -1 if there is no attribute of that name. */
  find(name: string): i32 {
    let from = 0;
    let to = this.attributeCount;
    const enough = 4 * max(name.length + 1, OWN.length);
    while (from < to) {
      const middle = (from + to) >> 1;
      const found = this.beginning(ATTRIBUTES + 2 * middle, enough);
      if (found == name) return ATTRIBUTES + 2 * middle + 1;
      if (precedes(found, name)) from = middle + 1;
      else to = middle;
    }
    return -1;
  }

  attribute(name: string): string {
    const at = this.find(name);
    return at < 0 ? "" : this.text(at);
  }

  text(number: i32): string {
    return decodeUtf8(this.bytes, this.startOf(number), this.endOf(number));
  }

  /** Whether the string at that index is equal to `text`. */
  isText(number: i32, text: string): bool {
    return this.endOf(number) - this.startOf(number) == utf8Length(text) && this.text(number) == text;
  }

  /** The string, or its beginning if it is longer than `enough` bytes. */
  private beginning(number: i32, enough: i32): string {
    const start = this.startOf(number);
    const end = this.endOf(number);
    return decodeUtf8(this.bytes, start, end - start <= enough ? end : wholeFrom(this.bytes, start + enough, end));
  }

  startOf(text: i32): i32 {
    return this.starts[text];
  }

  endOf(text: i32): i32 {
    const start = this.starts[text];
    return start + load<i32>(this.bytes.dataStart + start - LENGTH);
  }

  /** All readers have been told; the line is no longer needed. */
  told(): void {
    this.written = null;
  }

  private head(text: i32): string {
    const known = this.known[text];
    if (known !== null) return known;
    const read = this.text(text);
    this.known[text] = read;
    return read;
  }
}
