// What steps add to the journal: events, in the form of core/assembly/event/entry-form.ts.

import type { StepOutputs } from "../../../hosts/shared/outputs.js";
import { Breach } from "../breach.js";

export interface JournalEvent {
  type: string;
  action: string;
  /** The actor's. */
  id: string;
  attributes: ReadonlyMap<string, string>;
}

const FORM = 2;
/** Behind the form. */
const TIME = 1;
/** The form, and the time. */
const HEAD = 9;
/** Of each text, before it. */
const LENGTH = 4;

const decoder = new TextDecoder();

/** Events of a step, in their order. */
export function eventsOf(commands: StepOutputs["records"]): JournalEvent[] {
  return commands.flatMap((command) => (command.tag === "append" ? [eventOf(command.val.bytes)] : []));
}

/** Null for what is no entry: it was damaged. */
export function readableEvent(bytes: Uint8Array): JournalEvent | null {
  if (bytes.length < HEAD || bytes[0] !== FORM) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let [at, texts] = [HEAD, 0];
  for (; at + LENGTH <= bytes.length; texts++) at += LENGTH + view.getUint32(at, true);
  return at === bytes.length && texts >= 3 && texts % 2 === 1 ? eventOf(bytes) : null;
}

export function eventOf(bytes: Uint8Array): JournalEvent {
  if (bytes[0] !== FORM) throw new Breach("events", "an entry of the journal has another form");
  const [type = "", action = "", id = "", ...rest] = textsOf(bytes);
  const attributes = new Map<string, string>();
  for (let at = 0; at + 1 < rest.length; at += 2) attributes.set(rest[at]!, rest[at + 1]!);
  return { type, action, id, attributes };
}

/** Nanoseconds since 1970. */
export function timeIn(bytes: Uint8Array): bigint {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getBigInt64(TIME, true);
}

function textsOf(bytes: Uint8Array): string[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const texts: string[] = [];
  for (let at = HEAD; at < bytes.length;) {
    const begin = at + LENGTH;
    const end = begin + view.getUint32(at, true);
    texts.push(decoder.decode(bytes.subarray(begin, end)));
    at = end;
  }
  return texts;
}
