// The journal's binary format of events: one byte for the format, the time, then strings with their lengths: type,
// action, the actor's id, and the attributes' names and values in turn, in the order in which clients get them.

import { decodeUtf8, storeUtf8, utf8Length } from "../text/utf8";
import { Event } from "./event";

export const FORM: u8 = 2;
/** The earlier format, with attributes in no particular order. */
const UNORDERED: u8 = 1;
export const HEAD: i32 = 9;
/** Size of a length in bytes. */
export const LENGTH: i32 = 4;

export function writeEntry(event: Event): Uint8Array {
  const attributes = event.inOrder();
  const names = attributes.names;
  const texts = attributes.texts;
  let size = HEAD + sizeOf(event.type) + sizeOf(event.action) + sizeOf(event.id);
  for (let i = 0; i < names.length; i++) size += sizeOf(names[i]) + sizeOf(texts[i]);
  const bytes = new Uint8Array(size);
  bytes[0] = FORM;
  store<i64>(bytes.dataStart, event.at, 1);
  let end = writeText(event.id, bytes, writeText(event.action, bytes, writeText(event.type, bytes, HEAD)));
  for (let i = 0; i < names.length; i++) end = writeText(texts[i], bytes, writeText(names[i], bytes, end));
  return bytes;
}

/** Number of strings in an entry of either format; 0 unless they exactly fill it. */
export function countTexts(bytes: Uint8Array): i32 {
  let count = 0;
  let at = HEAD;
  for (; at <= bytes.length - LENGTH; count++) {
    const length = load<u32>(bytes.dataStart + at);
    at += LENGTH;
    if (length > <u32>(bytes.length - at)) return 0;
    at += <i32>length;
  }
  return at == bytes.length ? count : 0;
}

/** The entry in the current format; null if it is invalid. */
export function inThisForm(bytes: Uint8Array): Uint8Array | null {
  if (bytes.length < HEAD || (bytes[0] != FORM && bytes[0] != UNORDERED)) return null;
  const count = countTexts(bytes);
  if (count < 3 || count % 2 == 0) return null;
  return bytes[0] == FORM ? bytes : writeEntry(readUnordered(bytes));
}

function readUnordered(bytes: Uint8Array): Event {
  const texts: string[] = [];
  for (let at = HEAD; at < bytes.length;) {
    const end = at + LENGTH + load<i32>(bytes.dataStart + at);
    texts.push(decodeUtf8(bytes, at + LENGTH, end));
    at = end;
  }
  const event = new Event(texts[0], texts[1], texts[2], load<i64>(bytes.dataStart, 1));
  for (let i = 3; i < texts.length; i += 2) event.with(texts[i], texts[i + 1]);
  return event;
}

function sizeOf(text: string): i32 {
  return LENGTH + utf8Length(text);
}

/** Returns the end of the string. */
function writeText(text: string, bytes: Uint8Array, at: i32): i32 {
  const length = storeUtf8(text, bytes.dataStart + at + LENGTH);
  store<u32>(bytes.dataStart + at, <u32>length);
  return at + LENGTH + length;
}
