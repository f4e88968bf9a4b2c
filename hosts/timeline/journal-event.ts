// Parses events that the core adds to the journal: a byte for the format, the time, then texts, each after its length:
// type, action, the actor's id, and alternating names and values of attributes (core/assembly/event/entry-form.ts).

import { JOURNAL_ENTRY } from "../../build/core/record-types.js";
import type { EventView } from "./event-view.js";

const { head: HEAD, length: LENGTH } = JOURNAL_ENTRY;
const FORMS: readonly number[] = JOURNAL_ENTRY.forms;

/** Null if it is not an entry in one of these formats, for example because its bytes were left out. */
export function eventOf(entry: Uint8Array): Omit<EventView, "number"> | null {
  if (entry.length < HEAD || !FORMS.includes(entry[0]!)) return null;
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
