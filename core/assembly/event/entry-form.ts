// Events as the journal has them: a byte for the form, the time, then texts, each with its length before it: type, action,
// the actor's id, and names and texts of attributes in turn, in the order in which they are told.

import { decodeUtf8, storeUtf8, utf8Length } from "../text/utf8";
import { Event } from "./event";

export const FORM: u8 = 2;
/** The same, with attributes in no order. */
const UNORDERED: u8 = 1;
export const HEAD: i32 = 9;
/** Bytes of a length. */
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

/** How many texts are in an entry of either form, which must be whole ones to its end; else 0. */
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

/** An entry as it is written now; null for what is none. */
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

/** Where it ends. */
function writeText(text: string, bytes: Uint8Array, at: i32): i32 {
  const length = storeUtf8(text, bytes.dataStart + at + LENGTH);
  store<u32>(bytes.dataStart + at, <u32>length);
  return at + LENGTH + length;
}
