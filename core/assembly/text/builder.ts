// Builds a string in linear time and memory. No memory is freed within
// a step, so `+=` in a loop over a client's data would exhaust it.

export class TextBuilder {
  private units: ArrayBuffer;
  private size: i32 = 0;

  /** `capacity`: initial room in UTF-16 units. */
  constructor(capacity: i32 = 64) {
    this.units = new ArrayBuffer(max(capacity, 8) << 1);
  }

  /** Length in UTF-16 units. */
  get length(): i32 {
    return this.size;
  }

  /** Appends one UTF-16 unit. */
  unit(unit: i32): TextBuilder {
    store<u16>(this.room(1), <u16>unit);
    this.size++;
    return this;
  }

  /** Appends one code point; an invalid one becomes U+FFFD. */
  point(point: i32): TextBuilder {
    if (point < 0 || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) return this.unit(0xfffd);
    if (point < 0x10000) return this.unit(point);
    return this.unit(0xd800 + ((point - 0x10000) >> 10)).unit(0xdc00 + (point & 0x3ff));
  }

  text(text: string): TextBuilder {
    const bytes = text.length << 1;
    memory.copy(this.room(text.length), changetype<usize>(text), bytes);
    this.size += text.length;
    return this;
  }

  /** Starts again with the same buffer. */
  reset(): void {
    this.size = 0;
  }

  /** Overwrites its own copy of the text. */
  erase(): void {
    memory.fill(changetype<usize>(this.units), 0, this.units.byteLength);
    this.size = 0;
  }

  toString(): string {
    return String.UTF16.decodeUnsafe(changetype<usize>(this.units), this.size << 1);
  }

  private room(units: i32): usize {
    const needed = (this.size + units) << 1;
    if (needed > this.units.byteLength) {
      const wider = new ArrayBuffer(max(needed, this.units.byteLength << 1));
      memory.copy(changetype<usize>(wider), changetype<usize>(this.units), this.size << 1);
      this.units = wider;
    }
    return changetype<usize>(this.units) + (this.size << 1);
  }
}
