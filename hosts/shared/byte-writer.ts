// Writes text piece by piece as bytes into a buffer that is reused.

const FIRST_BYTES = 64 * 1024;
/** A larger buffer is not kept. */
const MOST_KEPT = 1024 * 1024;
/** For longer texts, in UTF-16 units, the platform's encoder is faster than a loop. */
const SHORT = 40;
/** The most bytes of UTF-8 that a unit of UTF-16 can take. */
const WIDEST = 3;
const MOST_GUESSED = 64 * 1024;
const ZERO = 0x30;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Digits of the largest unsigned 32-bit number. The platform formats all other numbers. */
const MOST_DIGITS = 10;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class ByteWriter {
  #bytes = new Uint8Array(FIRST_BYTES);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Valid until the next write. */
  get written(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** A copy of what was written from byte `start` on. */
  from(start: number): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(start, this.#length);
  }

  /** What was written, without a copy. The writer is empty afterwards, and goes on in other memory. */
  take(): Uint8Array {
    const taken = this.written;
    this.#bytes = new Uint8Array(FIRST_BYTES);
    this.#length = 0;
    return taken;
  }

  text(): string {
    return decoder.decode(this.written);
  }

  /** Makes room for so many more bytes at once: a writer that grows holds its bytes twice for a while. */
  expect(bytes: number): void {
    this.#reserve(bytes);
  }

  clear(): void {
    this.#length = 0;
    if (this.#bytes.length > MOST_KEPT) this.#bytes = new Uint8Array(FIRST_BYTES);
  }

  /** Removes the last `bytes` bytes. */
  takeBack(bytes: number): void {
    this.#length -= bytes;
  }

  byte(byte: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = byte;
  }

  copy(bytes: Uint8Array): void {
    const { length } = bytes;
    this.#reserve(length);
    const to = this.#bytes;
    let end = this.#length;
    if (length > SHORT) to.set(bytes, end);
    else for (let at = 0; at < length; at++) to[end + at] = bytes[at]!;
    this.#length = end += length;
  }

  /** A text that is known to be ASCII. */
  ascii(text: string): void {
    const { length } = text;
    this.#reserve(length);
    if (length > SHORT) {
      encoder.encodeInto(text, this.#bytes.subarray(this.#length));
      this.#length += length;
      return;
    }
    for (let at = 0; at < length; at++) this.#bytes[this.#length++] = text.charCodeAt(at);
  }

  utf8(text: string): void {
    if (text.length > MOST_GUESSED) return this.copy(encoder.encode(text));
    this.#reserve(WIDEST * text.length);
    this.#length += encoder.encodeInto(text, this.#bytes.subarray(this.#length)).written;
  }

  /** In decimal digits. */
  integer(value: number | bigint): void {
    if (typeof value === "number" && value >= 0 && value <= 0xffff_ffff) this.#natural(value);
    else this.ascii(`${value}`);
  }

  /** As a JSON string. */
  json(text: string): void {
    if (text.length <= SHORT && this.#plain(text)) return;
    this.utf8(JSON.stringify(text));
  }

  /** With its length in bytes as a prefix: `5:hello`. */
  counted(text: string): void {
    const { length } = text;
    const start = this.#length;
    // Most texts are ASCII, with as many bytes as units. Then nothing is written twice.
    this.#head(length);
    if (length <= SHORT ? this.#units(text, 0x7f, false) : this.#isAscii(text)) return;
    this.#length = start;
    const encoded = encoder.encode(text);
    this.#head(encoded.length);
    this.copy(encoded);
  }

  #head(length: number): void {
    this.#natural(length);
    this.byte(0x3a);
  }

  #isAscii(text: string): boolean {
    const start = this.#length;
    this.utf8(text);
    return this.#length - start === text.length;
  }

  /** Writes a text that needs no escapes in JSON. False, and writes nothing, if the text needs some. */
  #plain(text: string): boolean {
    const start = this.#length;
    this.byte(QUOTE);
    if (this.#units(text, 0x7e, true)) {
      this.byte(QUOTE);
      return true;
    }
    this.#length = start;
    return false;
  }

  /** Writes each unit as a byte. False if a unit exceeds `most`, or if JSON would have to escape it. */
  #units(text: string, most: number, inJson: boolean): boolean {
    const { length } = text;
    this.#reserve(length);
    const to = this.#bytes;
    const start = this.#length;
    for (let at = 0; at < length; at++) {
      const unit = text.charCodeAt(at);
      if (unit > most) return false;
      if (inJson && (unit < 0x20 || unit === QUOTE || unit === BACKSLASH)) return false;
      to[start + at] = unit;
    }
    this.#length = start + length;
    return true;
  }

  #natural(value: number): void {
    this.#reserve(MOST_DIGITS);
    let digits = 1;
    for (let more = value; more >= 10; more = Math.floor(more / 10)) digits++;
    let rest = value;
    for (let at = this.#length + digits - 1; at >= this.#length; at--) {
      const next = Math.floor(rest / 10);
      this.#bytes[at] = ZERO + rest - next * 10;
      rest = next;
    }
    this.#length += digits;
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    grown.set(this.written);
    this.#bytes = grown;
  }
}

/** For texts that are complete before anything else is written. */
const shared = new ByteWriter();

/** The text that `write` writes. `write` must not call this function again, since both share one buffer. */
export function textOf(write: (to: ByteWriter) => void): string {
  shared.clear();
  write(shared);
  return shared.text();
}

/** The bytes of an ASCII text. */
export function ascii(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
