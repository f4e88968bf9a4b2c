// Base64 (RFC 4648) as Go's encoding/base64 decodes it: padding is required, and only line breaks are skipped.

import { TextBuilder } from "./builder";

/** Decodes the URL alphabet (`-`, `_`); null if the text is invalid. */
export function decodeBase64Url(text: string): Uint8Array | null {
  return decode(text, 0x2d, 0x5f);
}

/** Decodes the standard alphabet (`+`, `/`); null if the text is invalid. */
export function decodeBase64(text: string): Uint8Array | null {
  return decode(text, 0x2b, 0x2f);
}

/** Encodes with the standard alphabet and padding. */
export function encodeBase64(bytes: Uint8Array): string {
  return encode(bytes, 0x2b, 0x2f);
}

/** Encodes with the URL alphabet and padding. */
export function encodeBase64Url(bytes: Uint8Array): string {
  return encode(bytes, 0x2d, 0x5f);
}

/** How many digits the bytes take, with padding. */
export function base64Length(bytes: Uint8Array): i32 {
  return ((bytes.length + 2) / 3) * 4;
}

/** Encodes with the standard alphabet and padding to ASCII in memory that has room for it: `base64Length`. */
export function storeBase64(bytes: Uint8Array, to: usize): void {
  const whole = bytes.length - (bytes.length % 3);
  for (let from = bytes.dataStart; from < bytes.dataStart + whole; from += 3) {
    storeGroup(((<i32>load<u8>(from)) << 16) | ((<i32>load<u8>(from, 1)) << 8) | <i32>load<u8>(from, 2), to);
    to += 4;
  }
  const left = bytes.length - whole;
  if (left == 0) return;
  const group = ((<i32>bytes[whole]) << 16) | (left > 1 ? (<i32>bytes[whole + 1]) << 8 : 0);
  storeGroup(group, to);
  if (left == 1) store<u8>(to, <u8>PADDING, 2);
  store<u8>(to, <u8>PADDING, 3);
}

function storeGroup(group: i32, to: usize): void {
  store<u8>(to, <u8>digitOf(group >> 18, 0x2b, 0x2f));
  store<u8>(to, <u8>digitOf((group >> 12) & 63, 0x2b, 0x2f), 1);
  store<u8>(to, <u8>digitOf((group >> 6) & 63, 0x2b, 0x2f), 2);
  store<u8>(to, <u8>digitOf(group & 63, 0x2b, 0x2f), 3);
}

const PADDING: i32 = 0x3d;

function decode(text: string, char62: i32, char63: i32): Uint8Array | null {
  const bytes = new Uint8Array((text.length / 4 + 1) * 3);
  let written = 0;
  let group = 0;
  let digits = 0;
  let padding = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit == 0x0a || unit == 0x0d) continue;
    if (unit == PADDING) {
      // Only the third and fourth digits of the last group may be padding.
      if (digits + padding < 2 || digits + padding > 3) return null;
      padding++;
      continue;
    }
    const value = digitValue(unit, char62, char63);
    if (value < 0 || padding > 0) return null;
    group = (group << 6) | value;
    if (++digits < 4) continue;
    bytes[written++] = <u8>(group >> 16);
    bytes[written++] = <u8>(group >> 8);
    bytes[written++] = <u8>group;
    group = 0;
    digits = 0;
  }
  if (digits == 0 && padding == 0) return bytes.subarray(0, written);
  if (digits + padding != 4) return null;
  if (digits == 3) {
    bytes[written++] = <u8>(group >> 10);
    bytes[written++] = <u8>(group >> 2);
  } else {
    bytes[written++] = <u8>(group >> 4);
  }
  return bytes.subarray(0, written);
}

function encode(bytes: Uint8Array, char62: i32, char63: i32): string {
  const text = new TextBuilder((bytes.length / 3 + 1) * 4);
  for (let i = 0; i < bytes.length; i += 3) {
    const left = bytes.length - i;
    const group =
      ((<i32>bytes[i]) << 16) | (left > 1 ? (<i32>bytes[i + 1]) << 8 : 0) | (left > 2 ? <i32>bytes[i + 2] : 0);
    text.unit(digitOf(group >> 18, char62, char63)).unit(digitOf((group >> 12) & 63, char62, char63));
    text.unit(left > 1 ? digitOf((group >> 6) & 63, char62, char63) : PADDING);
    text.unit(left > 2 ? digitOf(group & 63, char62, char63) : PADDING);
  }
  return text.toString();
}

function digitValue(unit: i32, char62: i32, char63: i32): i32 {
  if (unit >= 0x41 && unit <= 0x5a) return unit - 0x41;
  if (unit >= 0x61 && unit <= 0x7a) return unit - 0x61 + 26;
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30 + 52;
  if (unit == char62) return 62;
  return unit == char63 ? 63 : -1;
}

function digitOf(value: i32, char62: i32, char63: i32): i32 {
  if (value < 26) return 0x41 + value;
  if (value < 52) return 0x61 + value - 26;
  if (value < 62) return 0x30 + value - 52;
  return value == 62 ? char62 : char63;
}
