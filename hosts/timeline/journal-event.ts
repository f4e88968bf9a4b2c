// Events as the core adds them to the journal: a byte for the form, their time, then texts, each with its length before
// it: type, action, the actor's id, and names and values of attributes in turn (core/assembly/event/entry.ts).

import type { EventView } from "./world.js";

const FORM = 1;
const HEAD = 9;
const LENGTH = 4;

/** Null for what is no entry of this form, as where its bytes were left out. */
export function eventOf(entry: Uint8Array): Omit<EventView, "number"> | null {
  if (entry.length < HEAD || entry[0] !== FORM) return null;
  const view = new DataView(entry.buffer, entry.byteOffset, entry.length);
  const texts: string[] = [];
  for (let at = HEAD; at + LENGTH <= entry.length;) {
    const length = view.getUint32(at, true);
    texts.push(new TextDecoder().decode(entry.subarray(at + LENGTH, at + LENGTH + length)));
    at += LENGTH + length;
  }
  const [type = "", action = "", id = "", ...pairs] = texts;
  const attributes: Record<string, string> = {};
  for (let i = 0; i + 1 < pairs.length; i += 2) attributes[pairs[i]!] = pairs[i + 1]!;
  return { type, action, id, attributes, at: view.getBigInt64(1, true) };
}
