// UTF-8 encoding and decoding as in Go: each invalid byte becomes one U+FFFD.

import { areAscii, narrowed, widened } from "./at-once";

/** Units that are looked at at once. */
const STRIDE: i32 = 4;

/** Decodes `bytes[from..to)`, by default all bytes. */
export function decodeUtf8(bytes: Uint8Array, from: i32 = 0, to: i32 = bytes.length): string {
  if (from < 0 || to > bytes.length || from >= to) return "";
  const source = bytes.dataStart + from;
  const length = to - from;
  if (isAscii(source, length)) return textOf(source, length);
  // One byte becomes at most one UTF-16 unit.
  const units = new ArrayBuffer(length << 1);
  const target = changetype<usize>(units);
  let written: usize = 0;
  for (let i = 0; i < length;) {
    const byte = <u32>load<u8>(source + i);
    if (byte < 0x80) {
      store<u16>(target + written, <u16>byte);
      written += 2;
      i++;
      continue;
    }
    const size = sequenceLength(source + i, length - i);
    const point = size == 1 ? 0xfffd : decodeSequence(source + i, size);
    if (point > 0xffff) {
      store<u16>(target + written, <u16>(0xd800 + ((point - 0x10000) >> 10)));
      store<u16>(target + written + 2, <u16>(0xdc00 + (point & 0x3ff)));
      written += 4;
    } else {
      store<u16>(target + written, <u16>point);
      written += 2;
    }
    i += size;
  }
  return String.UTF16.decodeUnsafe(target, written);
}

/** Encodes a string; an unpaired surrogate becomes U+FFFD. */
export function encodeUtf8(text: string): Uint8Array {
  const buffer = new Uint8Array(text.length * 3);
  const written = storeUtf8(text, buffer.dataStart);
  return buffer.slice(0, written);
}

/** The first position from `at` on where a character begins. */
export function wholeFrom(bytes: Uint8Array, at: i32, end: i32): i32 {
  let whole = at;
  while (whole < end && (bytes[whole] & 0xc0) == 0x80) whole++;
  return whole;
}

/** Writes a string to memory, with room for three bytes per unit. Returns the number of bytes. */
export function storeUtf8(text: string, target: usize): i32 {
  let at = target;
  let first = 0;
  for (; first + STRIDE <= text.length; first += STRIDE, at += STRIDE) {
    const units = load<u64>(changetype<usize>(text) + ((<usize>first) << 1));
    if (!areAscii(units)) break;
    store<u32>(at, narrowed(units));
  }
  for (; first < text.length; first++, at++) {
    const unit = load<u16>(changetype<usize>(text) + ((<usize>first) << 1));
    if (unit >= 0x80) break;
    store<u8>(at, <u8>unit);
  }
  for (let i = first; i < text.length; i++) {
    let point = <u32>text.charCodeAt(i);
    if (point >= 0xd800 && point <= 0xdfff) {
      const next = i + 1 < text.length ? <u32>text.charCodeAt(i + 1) : 0;
      if (point < 0xdc00 && next >= 0xdc00 && next <= 0xdfff) {
        point = 0x10000 + ((point - 0xd800) << 10) + (next - 0xdc00);
        i++;
      } else {
        point = 0xfffd;
      }
    }
    at += storePoint(point, at);
  }
  return <i32>(at - target);
}

/** The number of bytes that `storeUtf8` writes. */
export function utf8Length(text: string): i32 {
  let length = 0;
  while (length + STRIDE <= text.length && areAscii(load<u64>(changetype<usize>(text) + ((<usize>length) << 1)))) {
    length += STRIDE;
  }
  for (let i = length; i < text.length; i++) {
    const unit = <u32>load<u16>(changetype<usize>(text) + ((<usize>i) << 1));
    length += unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
    if (unit < 0xd800 || unit > 0xdbff || i + 1 == text.length) continue;
    const next = <u32>load<u16>(changetype<usize>(text) + ((<usize>i + 1) << 1));
    if (next < 0xdc00 || next > 0xdfff) continue;
    // The two halves of a surrogate pair take four bytes together.
    length += 1;
    i++;
  }
  return length;
}

/** Writes one code point. Returns the number of bytes, 1 to 4. */
export function storePoint(point: u32, at: usize): usize {
  if (point < 0x80) {
    store<u8>(at, <u8>point);
    return 1;
  }
  if (point < 0x800) {
    store<u8>(at, <u8>(0xc0 | (point >> 6)));
    store<u8>(at + 1, <u8>(0x80 | (point & 0x3f)));
    return 2;
  }
  if (point < 0x10000) {
    store<u8>(at, <u8>(0xe0 | (point >> 12)));
    store<u8>(at + 1, <u8>(0x80 | ((point >> 6) & 0x3f)));
    store<u8>(at + 2, <u8>(0x80 | (point & 0x3f)));
    return 3;
  }
  store<u8>(at, <u8>(0xf0 | (point >> 18)));
  store<u8>(at + 1, <u8>(0x80 | ((point >> 12) & 0x3f)));
  store<u8>(at + 2, <u8>(0x80 | ((point >> 6) & 0x3f)));
  store<u8>(at + 3, <u8>(0x80 | (point & 0x3f)));
  return 4;
}

/** Whether all bytes at an address are ASCII. */
export function isAscii(source: usize, length: i32): bool {
  let i = 0;
  for (; i + 8 <= length; i += 8) {
    if ((load<u64>(source + i) & 0x8080808080808080) != 0) return false;
  }
  for (; i < length; i++) {
    if (load<u8>(source + i) >= 0x80) return false;
  }
  return true;
}

// The string is filled in place: nothing else refers to it yet.
function textOf(source: usize, length: i32): string {
  const text = __new((<usize>length) << 1, idof<string>());
  let i = 0;
  for (; i + STRIDE <= length; i += STRIDE) store<u64>(text + ((<usize>i) << 1), widened(load<u32>(source + i)));
  for (; i < length; i++) store<u16>(text + ((<usize>i) << 1), <u16>load<u8>(source + i));
  return changetype<string>(text);
}

// RFC 3629 §4: no overlong forms, no surrogates, nothing above U+10FFFF. 1 means an invalid sequence.
export function sequenceLength(at: usize, available: i32): i32 {
  const first = load<u8>(at);
  let low: u8 = 0x80;
  let high: u8 = 0xbf;
  let size = 2;
  if (first < 0xc2 || first > 0xf4) return 1;
  if (first >= 0xe0) {
    size = first < 0xf0 ? 3 : 4;
    if (first == 0xe0) low = 0xa0;
    else if (first == 0xed) high = 0x9f;
    else if (first == 0xf0) low = 0x90;
    else if (first == 0xf4) high = 0x8f;
  }
  if (size > available) return 1;
  const second = load<u8>(at + 1);
  if (second < low || second > high) return 1;
  for (let i = 2; i < size; i++) {
    if ((load<u8>(at + i) & 0xc0) != 0x80) return 1;
  }
  return size;
}

function decodeSequence(at: usize, size: i32): u32 {
  let point = <u32>load<u8>(at) & (0x7f >> size);
  for (let i = 1; i < size; i++) point = (point << 6) | (load<u8>(at + i) & 0x3f);
  return point;
}
