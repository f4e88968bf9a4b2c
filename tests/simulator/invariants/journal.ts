// Reads the events that steps append to the journal, in the format of core/assembly/event/entry-form.ts.

import type { StepOutputs } from "../../../hosts/shared/outputs.js";
import { Breach } from "../breach.js";

export interface JournalEvent {
  type: string;
  action: string;
  /** The actor's id. */
  id: string;
  attributes: ReadonlyMap<string, string>;
}

const FORM = 2;
/** Offset of the time, after the format's number. */
const TIME = 1;
/** Bytes of the format's number and the time. */
const HEAD = 9;
/** Bytes of the length before each text. */
const LENGTH = 4;

const NONE: readonly JournalEvent[] = [];

const decoder = new TextDecoder();

/** Ten invariants ask for the events of each step. */
const known = new WeakMap<StepOutputs["records"], readonly JournalEvent[]>();

/** The events of a step, in order. */
export function eventsOf(commands: StepOutputs["records"]): readonly JournalEvent[] {
  if (commands.length === 0) return NONE;
  const read = known.get(commands) ?? commands.flatMap(eventIn);
  known.set(commands, read);
  return read;
}

function eventIn(command: StepOutputs["records"][number]): JournalEvent[] {
  return command.tag === "append" ? [eventOf(command.val.bytes)] : [];
}

/** Null for a damaged entry. */
export function readableEvent(bytes: Uint8Array): JournalEvent | null {
  if (bytes.length < HEAD || bytes[0] !== FORM) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let [at, texts] = [HEAD, 0];
  for (; at + LENGTH <= bytes.length; texts++) at += LENGTH + view.getUint32(at, true);
  return at === bytes.length && texts >= 3 && texts % 2 === 1 ? eventOf(bytes) : null;
}

export function eventOf(bytes: Uint8Array): JournalEvent {
  if (bytes[0] !== FORM) throw new Breach("events", "a journal entry has an unknown format");
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
