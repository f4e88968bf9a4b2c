// Checks that a request for all past events returns each stored one, once and in order, and reports lost ones if the
// journal was damaged.

import type { records } from "../../../hosts/shared/host.js";
import { Breach } from "../breach.js";
import type { Answer, Asked, Oracle } from "../oracle.js";
import type { ReadJournal } from "./history.js";
import { readableEvent, timeIn } from "./journal.js";

const PAST = /\/events\?since=0&until=(\d+)$/;
const OK = 200;
const SECOND = 1_000_000_000n;

interface Reading {
  until: bigint;
  /** The stored entries at the time of the request. */
  kept: readonly records.JournalEntry[];
  text: string;
  isOpen: boolean;
}

interface Told {
  Type: string;
  Action: string;
  timeNano: number;
  Actor: { ID: string; Attributes: Record<string, string> };
}

export class Past implements Oracle {
  readonly #read: ReadJournal;
  readonly #readings = new Map<number, Reading>();

  constructor(read: ReadJournal) {
    this.#read = read;
  }

  asked({ number, target }: Asked): void {
    const until = PAST.exec(target)?.[1];
    if (until === undefined) return;
    this.#readings.set(number, { until: BigInt(until) * SECOND, kept: this.#read(1n), text: "", isOpen: false });
  }

  answered({ number }: Asked, { status }: Answer): null {
    const reading = this.#readings.get(number);
    if (reading !== undefined) reading.isOpen = status === OK;
    return null;
  }

  told({ number }: Asked, piece: string): null {
    const reading = this.#readings.get(number);
    if (reading !== undefined) reading.text += piece;
    return null;
  }

  ended({ number }: Asked): null {
    const reading = this.#readings.get(number);
    this.#readings.delete(number);
    if (reading?.isOpen === true) check(reading, this.#read(1n));
    return null;
  }

  left({ number }: Asked): void {
    this.#readings.delete(number);
  }

  happened(): null {
    return null;
  }

  crashed(): void {
    this.#readings.clear();
  }

  forsaken(): void {}

  opened(): null {
    return null;
  }

  rested(): null {
    return null;
  }
}

/** `kept`: the entries now. Those after the time of the request may be returned, too. */
function check({ text, until, kept: before }: Reading, kept: readonly records.JournalEntry[]): void {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const all = lines.map((line) => JSON.parse(line) as Told);
  const [lost, told] = [all.filter(isLoss), all.filter((event) => !isLoss(event))];
  const isMeant = (at: bigint): boolean => at >= 0n && at <= until;
  const readable = kept.filter(({ bytes }) => readableEvent(bytes) !== null && isMeant(timeIn(bytes)));
  const due = readable.filter(({ position }) => position <= (before.at(-1)?.position ?? 0n));
  const expected = readable.slice(0, Math.max(due.length, told.length)).map(nameOfEntry);
  const found = told.map(nameOf);
  if (lost.some(hasFailed)) return inOrder(found, readable.map(nameOfEntry));
  if (found.join("\n") !== expected.join("\n")) broken(`the past events have ${differs(found, expected)}`);
  const count = lost.reduce((sum, { Actor }) => sum + Number(Actor.Attributes["coracle.lost"]), 0);
  const [unreadable, missing] = lossesIn(before);
  if (count !== unreadable + missing)
    broken(`${unreadable} events are unreadable and ${missing} are missing, but ${count} are reported as lost`);
}

function isLoss({ Type, Action }: Told): boolean {
  return Type === "daemon" && Action === "events-lost";
}

/** Whether a page could not be read, so that the number of lost events is unknown. */
function hasFailed({ Actor }: Told): boolean {
  return "coracle.error" in Actor.Attributes;
}

function inOrder(found: readonly string[], kept: readonly string[]): void {
  let at = 0;
  for (const name of found) {
    at = kept.indexOf(name, at) + 1;
    if (at === 0) broken(`the past events have ${name} twice, or out of order`);
  }
}

/** The number of unreadable entries, and of missing ones between the first and the last. */
function lossesIn(entries: readonly records.JournalEntry[]): [number, number] {
  const [first, last] = [entries[0]?.position ?? 1n, entries.at(-1)?.position ?? 0n];
  const unreadable = entries.filter(({ bytes }) => readableEvent(bytes) === null);
  return [unreadable.length, Number(last - first) + 1 - entries.length];
}

function differs(found: readonly string[], expected: readonly string[]): string {
  const at = expected.findIndex((name, place) => name !== found[place]);
  const place = at < 0 ? expected.length : at;
  return `${found[place] ?? "nothing"} instead of ${expected[place] ?? "nothing"}`;
}

function nameOf({ Type, Action, timeNano, Actor }: Told): string {
  return `${Type} ${Action} ${Actor.ID} ${timeNano}`;
}

/** The same name, with the time as a number, as in JSON. */
function nameOfEntry({ bytes }: records.JournalEntry): string {
  const { type, action, id } = readableEvent(bytes)!;
  return `${type} ${action} ${id} ${Number(timeIn(bytes))}`;
}

function broken(message: string): never {
  throw new Breach("past", message);
}
