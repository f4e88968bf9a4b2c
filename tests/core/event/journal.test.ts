// Events as a journal: a reader gets each event once, in order, as long as it is kept, and is told how many are
// missing.

import { describe, expect, test } from "vitest";
import { MemoryJournal } from "../../../hosts/shared/journal.js";
import { randomFrom } from "../support/door.js";
import { BEGAN, JournaledEngine } from "./journaled.js";

const MANY = 20_000;
const MIB = 1 << 20;

function numbers(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}

/** Entries of an earlier engine. */
function journalOf(events: number, limit?: number): MemoryJournal {
  const journal = new MemoryJournal(limit);
  const engine = new JournaledEngine(journal);
  engine.happen(1, events);
  // Entries that could wait are written with the next one that cannot.
  return journal;
}

describe("history", () => {
  test(`of ${MANY} events is there after a restart, and never in memory as a whole`, () => {
    const journal = journalOf(MANY);
    const engine = new JournaledEngine(journal, 10);
    const before = engine.size();
    const reader = engine.follow("since=0");
    let largest = 0;
    for (let turn = 0; engine.reads.length > 0 || engine.waits || engine.sent(reader).unread > 0; turn++) {
      if (engine.waits) engine.takeTurn();
      else if (engine.reads.length > 0) engine.page();
      else engine.read(reader);
      if (turn % 16 === 0) largest = Math.max(largest, engine.size());
    }
    expect(engine.numbers(reader)).toEqual(numbers(1, MANY));
    expect(engine.sent(reader).mostUnread).toBeLessThan(MIB + 4096);
    expect(engine.sent(reader).text.length).toBeGreaterThan(8 * MIB);
    expect(largest - before).toBeLessThan(8 * MIB);
    engine.happen(MANY + 1, MANY + 3);
    expect(engine.numbers(reader)).toHaveLength(MANY + 3);
    expect(engine.reads).toEqual([]);
  });

  test("is read only as far as a client reads", () => {
    const engine = new JournaledEngine(journalOf(MANY), 10);
    const reader = engine.follow("since=0");
    engine.settleUnread();
    const { unread } = engine.sent(reader);
    expect(unread).toBeGreaterThan(MIB);
    expect(unread).toBeLessThan(MIB + 4096);
    engine.read(reader);
    expect(engine.reads.length + engine.sent(reader).unread).toBeGreaterThan(0);
  });

  test("is read as long as one of the clients that wait for the same page is there", () => {
    const engine = new JournaledEngine(journalOf(400), 10);
    engine.follow("since=0");
    const [first, second] = [engine.follow("since=1"), engine.follow("since=1")];
    engine.leave(first);
    engine.settle();
    expect(engine.numbers(second)).toEqual(numbers(1, 400));
    expect(engine.numbers(first)).toEqual([]);
  });

  test("of one moment starts with its first event, even if that is not in memory any more", () => {
    const engine = new JournaledEngine();
    engine.happen(1, 300);
    const reader = engine.follow(`since=${BEGAN}&until=${BEGAN}`);
    engine.settle();
    expect(engine.numbers(reader)).toEqual(numbers(1, 300));
  });

  test("has limits and filters", () => {
    const first = new JournaledEngine();
    for (let hour = 0; hour < 10; hour++) {
      first.seconds = hour * 3600;
      first.happen(hour * 1000 + 1, hour * 1000 + 1000);
    }
    const engine = new JournaledEngine(first.journal, 10 * 3600);
    const between = engine.follow(`since=${BEGAN + 3 * 3600}&until=${BEGAN + 5 * 3600 - 1}`);
    const filter = encodeURIComponent(JSON.stringify({ label: ['labels=["number=7777"]'] }));
    const filtered = engine.follow(`since=${BEGAN}&until=${BEGAN + 9 * 3600}&filters=${filter}`);
    const other = encodeURIComponent(JSON.stringify({ type: ["container"] }));
    const none = engine.follow(`since=${BEGAN}&until=${BEGAN + 9 * 3600}&filters=${other}`);
    const last = engine.follow(`until=${BEGAN + 10 * 3600}`);
    engine.settle();
    expect(engine.numbers(between)).toEqual(numbers(3001, 5000));
    expect(engine.numbers(filtered)).toEqual([7777]);
    expect(engine.numbers(none)).toEqual([]);
    expect(engine.numbers(last)).toEqual(numbers(10_000 - 255, 10_000));
    for (const id of [between, filtered, none, last]) expect(engine.sent(id).over).toBe(true);
  });

  test("continues with new events until a future moment", () => {
    const engine = new JournaledEngine(journalOf(1000), 10);
    const reader = engine.follow(`since=0&until=${BEGAN + 20}`);
    engine.happen(1001, 1010);
    engine.settle();
    engine.pass(5);
    engine.happen(1011, 1011);
    expect(engine.sent(reader).over).toBe(false);
    engine.pass(6);
    expect(engine.sent(reader).over).toBe(true);
    engine.happen(1012, 1012);
    expect(engine.numbers(reader)).toEqual(numbers(1, 1011));
  });

  test("that earlier engines stored is shown in the current form", () => {
    const first = new JournaledEngine();
    first.happen(1, 3);
    const reader = first.follow("since=0");
    first.settle();
    const old = new MemoryJournal();
    for (const entry of first.journal.page({ from: { tag: "position", val: 1n }, bytes: 1 << 30 }).entries) {
      old.append({ ...entry, bytes: asBefore(entry.bytes) });
    }
    const engine = new JournaledEngine(old, 10);
    const later = engine.follow("since=0");
    engine.settle();
    expect(engine.sent(later).text).toBe(first.sent(reader).text);
  });

  test("is found by the time of day, even if that was set back", () => {
    const first = new JournaledEngine(new MemoryJournal(), 7200);
    first.happen(1, 300);
    first.seconds = 3600;
    first.happen(301, 600);
    first.seconds = 3700;
    first.happen(601, 900);
    const engine = new JournaledEngine(first.journal, 3800);
    const later = engine.follow(`since=${BEGAN + 3650}&until=${BEGAN + 3750}`);
    const all = engine.follow(`since=${BEGAN + 3600}&until=${BEGAN + 7199}`);
    engine.settle();
    expect(engine.numbers(later)).toEqual(numbers(601, 900));
    expect(engine.numbers(all)).toEqual(numbers(301, 900));
  });
});

describe("between past and new events", () => {
  test.each(numbers(1, 30))("no event is lost or duplicated (%i)", (seed) => {
    const random = randomFrom(seed * 31 + 7);
    const engine = new JournaledEngine(journalOf(200 + random(2000)), 10);
    let last = Number(engine.journal.endsAt.next) - 1;
    const readers: bigint[] = [];
    for (let turn = 0; turn < 60; turn++) {
      if (random(10) === 0 && readers.length < 4) readers.push(engine.follow("since=0"));
      if (random(2) === 0) {
        const more = random(5) === 0 ? 300 : random(20);
        engine.happen(last + 1, last + more);
        last += more;
      }
      if (random(2) === 0 && engine.reads.length > 0) engine.page();
      if (random(3) === 0 && readers.length > 0) engine.read(readers[random(readers.length)]!);
    }
    engine.settle();
    for (const reader of readers) expect(engine.numbers(reader)).toEqual(numbers(1, last));
  });
});

describe("a slow reader", () => {
  test("returns to the journal and loses no stored event", () => {
    const engine = new JournaledEngine();
    const reader = engine.follow("");
    engine.happen(1, MANY);
    expect(engine.sent(reader).unread).toBeLessThan(MIB + 4096);
    engine.settle();
    expect(engine.numbers(reader)).toEqual(numbers(1, MANY));
  });

  test("gets the number of lost events, with any filters", () => {
    const engine = new JournaledEngine(new MemoryJournal(MIB));
    const all = engine.follow("");
    const filters = encodeURIComponent(JSON.stringify({ type: ["container"] }));
    const some = engine.follow(`since=0&filters=${filters}`);
    engine.happen(1, MANY);
    engine.settle();
    const events = engine.events(all);
    const at = events.findIndex(({ Action }) => Action === "events-lost");
    const lost = events[at]!;
    expect(lost).toMatchObject({ Type: "daemon", scope: "local", Actor: { Attributes: { name: "machine" } } });
    const told = engine.numbers(all).filter((number) => !Number.isNaN(number));
    expect(Number(lost.Actor.Attributes["coracle.lost"]) + told.length).toBe(MANY);
    expect(told.slice(0, at)).toEqual(numbers(1, at));
    expect(told.slice(at)).toEqual(numbers(MANY - (told.length - at) + 1, MANY));
    // It has nothing unread, so it was never behind.
    expect(engine.events(some)).toEqual([]);
  });

  test("gets a notice when the history that it reads is pruned", () => {
    const journal = journalOf(5000, MIB);
    const engine = new JournaledEngine(journal, 10);
    const reader = engine.follow("since=0");
    engine.page();
    engine.happen(5001, 12_000);
    engine.settle();
    const events = engine.events(reader);
    const lost = events.filter(({ Action }) => Action === "events-lost");
    expect(lost).toHaveLength(1);
    const told = engine.numbers(reader).filter((number) => !Number.isNaN(number));
    expect(told[0]! + told.length + Number(lost[0]!.Actor.Attributes["coracle.lost"]) - 1).toBe(12_000);
    expect(told.at(-1)).toBe(12_000);
  });
});

describe("unreadable history", () => {
  test.each([
    ["of an unknown format", (bytes: Uint8Array) => (bytes[0] = 9)],
    ["cut short", (bytes: Uint8Array) => bytes.fill(255, bytes.length - 40)],
    ["with invalid lengths", (bytes: Uint8Array) => bytes.fill(255, 9, 13)],
  ])("an entry %s is skipped and reported", (_how, damage) => {
    const journal = damagedAt(journalOf(400), 100n, damage);
    const engine = new JournaledEngine(journal, 10);
    const reader = engine.follow("since=0");
    engine.page();
    const what = "event 100";
    expect(engine.notes()).toMatchObject([{ tag: "found", val: { what, deed: "skipped" } }]);
    engine.settle();
    const told = engine.numbers(reader).filter((number) => !Number.isNaN(number));
    expect(told).toEqual(numbers(1, 400).filter((number) => number !== 100));
    expect(engine.events(reader)[99]).toMatchObject({ Action: "events-lost" });
  });

  test("missing entries in a page are reported with their number", () => {
    const engine = new JournaledEngine(without(journalOf(400), 100n, 102n), 10);
    const reader = engine.follow("since=0");
    engine.settle();
    const told = engine.numbers(reader).filter((number) => !Number.isNaN(number));
    expect(told).toEqual(numbers(1, 400).filter((number) => number < 100 || number > 102));
    const lost = engine.events(reader)[99];
    expect(lost).toMatchObject({ Action: "events-lost", Actor: { Attributes: { "coracle.lost": "3" } } });
  });

  test("when the journal fails, the reader gets a notice, and continues with new events", () => {
    const engine = new JournaledEngine(journalOf(400), 10);
    const reader = engine.follow("since=0");
    engine.page("Input/output error");
    engine.happen(401, 403);
    engine.settle();
    const [lost, ...rest] = engine.events(reader);
    expect(lost).toMatchObject({
      Action: "events-lost",
      Actor: { Attributes: { "coracle.error": "Input/output error" } },
    });
    expect(rest).toHaveLength(3);
  });
});

/** The entries of a journal without those from the first to the last of these. */
function without(journal: MemoryJournal, first: bigint, last: bigint): MemoryJournal {
  const rest = new MemoryJournal();
  for (const entry of journal.page({ from: { tag: "position", val: 1n }, bytes: 1 << 30 }).entries) {
    if (entry.position < first || entry.position > last) rest.append(entry);
  }
  return rest;
}

/** The same entries with one changed. */
function damagedAt(journal: MemoryJournal, position: bigint, damage: (bytes: Uint8Array) => unknown): MemoryJournal {
  const damaged = new MemoryJournal();
  for (const entry of journal.page({ from: { tag: "position", val: 1n }, bytes: 1 << 30 }).entries) {
    if (entry.position === position) damage(entry.bytes);
    damaged.append(entry);
  }
  return damaged;
}

/** In the format of earlier engines: its attributes in another order. */
function asBefore(entry: Uint8Array): Uint8Array {
  const view = new DataView(entry.buffer, entry.byteOffset, entry.length);
  const texts: Uint8Array[] = [];
  for (let at = 9; at < entry.length; at += texts.at(-1)!.length) {
    texts.push(entry.subarray(at, at + 4 + view.getUint32(at, true)));
  }
  const pairs = texts.slice(3).flatMap((name, i, rest) => (i % 2 === 0 ? [[name, rest[i + 1]!]] : []));
  expect(pairs.length).toBeGreaterThan(2);
  return Buffer.concat([new Uint8Array([1]), entry.subarray(1, 9), ...texts.slice(0, 3), ...pairs.reverse().flat()]);
}
