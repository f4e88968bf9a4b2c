// Finds the members of an object that is stored as bytes, without building a tree: inspect copies most of them
// unchanged. For documents written by `jsonBytes`: no white space, no duplicate names. A document is read only as far as
// it must be.

import { arePlainBytes } from "../text/at-once";
import { Json } from "./json";
import { parseKept } from "./reader";
import { JsonWriter } from "./writer";

/** Numbers stored per member: begin and end of its name, begin and end of its value. */
const STRIDE: i32 = 4;
/** Initial room for the members of the largest of Docker's objects. */
const USUAL: i32 = 64 * STRIDE;

const QUOTE: u8 = 0x22;
const BACKSLASH: u8 = 0x5c;
const COMMA: u8 = 0x2c;

export class Members {
  private places: i32[] = new Array<i32>(USUAL);
  private next: i32 = 0;
  /** How far the document was read: from after the opening brace to before the closing one. */
  private read: i32 = 1;
  /** Members that are to be copied: they follow each other in the document. */
  private first: i32 = 0;
  private end: i32 = 0;

  constructor(private document: Uint8Array) {
    this.places.length = 0;
  }

  /** Index of a member, for `copy`; -1 if there is none with this name. Look-ups in document order succeed at once. */
  find(name: string): i32 {
    const next = this.next;
    if (this.has(next) && this.isNamed(next, name)) return this.found(next);
    for (let at = 0; this.has(at); at += STRIDE) if (this.isNamed(at, name)) return this.found(at);
    return -1;
  }

  /** Writes a member unchanged, at the latest with `flush`. */
  copy(json: JsonWriter, place: i32): void {
    if (place != this.end || this.first == this.end) {
      this.flush(json);
      this.first = place;
    }
    this.end = place + STRIDE;
  }

  /** Writes what `copy` has been given, before anything else is written. */
  flush(json: JsonWriter): void {
    if (this.first == this.end) return;
    // From the quote before the first name to the end of the last value.
    json.raw(this.document, this.places[this.first] - 1, this.places[this.end - 1]);
    this.first = this.end;
  }

  /** The value of the member with this name as a tree; null if there is none. */
  tree(name: string): Json | null {
    const place = this.find(name);
    if (place < 0) return null;
    return parseKept(this.document.subarray(this.places[place + 2], this.places[place + 3]));
  }

  private found(place: i32): i32 {
    this.next = place + STRIDE;
    return place;
  }

  /** Whether there is a member with this index. */
  private has(place: i32): bool {
    while (place >= this.places.length && this.read < this.document.length - 1) this.read = this.member(this.read) + 1;
    return place < this.places.length;
  }

  private isNamed(place: i32, name: string): bool {
    const from = unchecked(this.places[place]);
    if (unchecked(this.places[place + 1]) - from != name.length) return false;
    const start = this.document.dataStart + from;
    for (let i = 0; i < name.length; i++) {
      if (load<u8>(start + i) != load<u16>(changetype<usize>(name) + ((<usize>i) << 1))) return false;
    }
    return true;
  }

  // Records the member that begins at `at`; returns the position of the comma after it.
  private member(at: i32): i32 {
    const nameEnd = this.stringEnd(at);
    const valueEnd = this.valueEnd(nameEnd + 1);
    if (valueEnd >= this.document.length) return valueEnd;
    this.places.push(at + 1);
    this.places.push(nameEnd - 1);
    this.places.push(nameEnd + 1);
    this.places.push(valueEnd);
    return valueEnd;
  }

  // Position after the string that begins at `at`.
  private stringEnd(at: i32): i32 {
    const start = this.document.dataStart;
    at++;
    while (at + 8 <= this.document.length && arePlainBytes(load<u64>(start + at))) at += 8;
    for (; at < this.document.length; at++) {
      const byte = load<u8>(start + at);
      if (byte == QUOTE) return at + 1;
      if (byte == BACKSLASH) at++;
    }
    return at;
  }

  // Position after the value that begins at `at`: the first comma or closing bracket outside of it.
  private valueEnd(at: i32): i32 {
    const start = this.document.dataStart;
    let depth = 0;
    while (at < this.document.length) {
      const byte = load<u8>(start + at);
      if (byte == QUOTE) {
        at = this.stringEnd(at);
        continue;
      }
      if (depth == 0 && byte == COMMA) return at;
      // Braces and brackets differ only in the bit 0x20.
      if ((byte | 0x20) == 0x7b) depth++;
      else if ((byte | 0x20) == 0x7d && --depth < 0) return at;
      at++;
    }
    return at;
  }
}
