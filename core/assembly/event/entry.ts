// An event as an entry of the journal: a byte for the form, its time, then texts, each with its length before it: type,
// action, the actor's id, and names and values of attributes in turn.

import { decodeUtf8, storeUtf8, utf8Length } from "../text/utf8";
import { Event } from "./event";

const FORM: u8 = 1;
const HEAD: i32 = 9;
/** Bytes of a length. */
const LENGTH: i32 = 4;

export function writeEntry(event: Event): Uint8Array {
  const keys = event.attributeKeys();
  const values = event.attributeValues();
  let length = HEAD + roomFor(event.type) + roomFor(event.action) + roomFor(event.id);
  for (let i = 0; i < keys.length; i++) length += roomFor(keys[i]) + roomFor(values[i]);
  const bytes = new Uint8Array(length);
  bytes[0] = FORM;
  store<i64>(bytes.dataStart, event.at, 1);
  let end = writeText(event.id, bytes, writeText(event.action, bytes, writeText(event.type, bytes, HEAD)));
  for (let i = 0; i < keys.length; i++) end = writeText(values[i], bytes, writeText(keys[i], bytes, end));
  return bytes;
}

/** Null for what is no entry of this form. */
export function readEntry(bytes: Uint8Array): Event | null {
  if (bytes.length < HEAD || bytes[0] != FORM) return null;
  const texts: string[] = [];
  let at = HEAD;
  while (at < bytes.length) {
    if (at + LENGTH > bytes.length) return null;
    const length = load<u32>(bytes.dataStart + at);
    at += LENGTH;
    if (length > <u32>(bytes.length - at)) return null;
    texts.push(decodeUtf8(bytes, at, at + <i32>length));
    at += <i32>length;
  }
  if (texts.length < 3 || texts.length % 2 == 0) return null;
  const event = new Event(texts[0], texts[1], texts[2], load<i64>(bytes.dataStart, 1));
  for (let i = 3; i < texts.length; i += 2) event.with(texts[i], texts[i + 1]);
  return event;
}

function roomFor(text: string): i32 {
  return LENGTH + utf8Length(text);
}

/** Where it ends. */
function writeText(text: string, bytes: Uint8Array, at: i32): i32 {
  const length = storeUtf8(text, bytes.dataStart + at + LENGTH);
  store<u32>(bytes.dataStart + at, <u32>length);
  return at + LENGTH + length;
}
