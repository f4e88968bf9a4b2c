// Events of megabytes: a client gets them completely, piece by piece as it reads; little is kept for clients that do
// not read, and no step works long for them.

import { describe, expect, test } from "vitest";
import { MemoryJournal } from "../../../hosts/shared/journal.js";
import { JournaledEngine } from "./journaled.js";

const KIB = 1024;
const MIB = 1 << 20;
const READERS = 60;
/** A piece more than the credit. */
const UNREAD_MOST = (256 + 64 + 1) * KIB;
/** The most that one step sends to all of them. */
const STEP_MOST = MIB + 64 * KIB + 1;

/** What readers are sent in one moment while requests arrive, and how much more it may be. */
const LITTLE = 128 * KIB;
const LITTLE_MOST = LITTLE + 64 * KIB + 1;

/** Like a container's labels: many short texts. */
const large = (name: string): string[] => [`number=${name}`, "x".repeat(3 * MIB), `end=${name}`];

/** Each after a small event. */
function engineWithLarge(): JournaledEngine {
  const engine = new JournaledEngine();
  engine.happen(1, 1);
  engine.reload(large("2"));
  engine.happen(3, 3);
  engine.reload(large("4"));
  engine.happen(5, 5);
  return engine;
}

/** In memory; and time stands still. */
function engineWithMany(): JournaledEngine {
  const engine = new JournaledEngine();
  for (let number = 1; number <= 12; number++) engine.reload([`number=${number}`, "x".repeat(40 * KIB)]);
  engine.pace = 0n;
  engine.bytesSent = 0;
  return engine;
}

describe("a large event", () => {
  test.each(["since=0", "since=0&filters=" + encodeURIComponent(JSON.stringify({ type: ["daemon"] }))])(
    "comes complete, between the others, from the journal (%s)",
    (query) => {
      const engine = engineWithLarge();
      const reader = engine.follow(query);
      engine.settle();
      expect(engine.numbers(reader)).toEqual([1, 2, 3, 4, 5]);
      expect(engine.events(reader)[1]!.Actor.Attributes["labels"]).toContain("end=2");
      expect(engine.sent(reader).mostUnread).toBeLessThan(UNREAD_MOST);
    },
  );

  test("comes unchanged, with any texts", () => {
    const odd = Array.from({ length: 40_000 }, (_, i) => `é\u2028\u2029"\\\n\u0001😀${"z".repeat(i % 7)}€`);
    const engine = new JournaledEngine();
    engine.reload(odd);
    const [bare, old] = [engine.follow("since=0"), engine.follow("since=0", "/v1.41")];
    engine.settle();
    expect(engine.sent(bare).text.length).toBeGreaterThan(20 * 64 * KIB);
    for (const reader of [bare, old]) {
      const [event] = engine.events(reader);
      expect(JSON.parse(event!.Actor.Attributes["labels"]!)).toEqual(odd);
    }
  });

  test("comes complete to all current clients, at any reading speed", () => {
    const engine = new JournaledEngine();
    const [fast, slow] = [engine.follow(""), engine.follow("")];
    for (const number of ["1", "2"]) {
      engine.reload(large(number));
      for (let turn = 0; turn < 30; turn++) engine.read(fast);
    }
    engine.settle();
    for (const reader of [fast, slow]) expect(engine.numbers(reader)).toEqual([1, 2]);
  });

  test("costs little for each client that does not read it, in the core and outside", () => {
    const engine = engineWithLarge();
    const first = engine.follow("since=0");
    engine.settleUnread();
    const before = engine.living();
    const readers = Array.from({ length: READERS }, () => engine.follow("since=0"));
    // The small one before it is read again, once for all.
    expect(engine.settleUnread()).toBeLessThan(2);
    for (const reader of [first, ...readers]) {
      expect(engine.sent(reader).unread).toBeGreaterThan(256 * KIB);
      expect(engine.sent(reader).unread).toBeLessThan(UNREAD_MOST);
    }
    expect(engine.living() - before).toBeLessThan(2 * MIB);
  });

  test("is read once for all clients that reach it together, and each step serves only some of them", () => {
    const engine = engineWithLarge();
    const readers = Array.from({ length: READERS }, () => engine.follow("since=0"));
    expect(engine.settleUnread()).toBeLessThan(4);
    expect(engine.mostInStep).toBeLessThan(STEP_MOST);
    engine.settle();
    for (const reader of readers) expect(engine.numbers(reader)).toEqual([1, 2, 3, 4, 5]);
    expect(engine.mostInStep).toBeLessThan(STEP_MOST);
  });

  test.each([
    ["all of them", {}],
    ["some of them", { label: ["labels"] }],
    ["none of them", { label: ["labels=other"] }],
  ])("is not built again for each client that matches it and wants %s", (_, filters) => {
    const engine = engineWithLarge();
    engine.mostTaken = 0;
    const query = `since=0&filters=${encodeURIComponent(JSON.stringify(filters))}`;
    for (let at = 0; at < READERS; at++) engine.follow(query);
    engine.settle();
    // It comes from the journal in one step; the rest is for the pieces of a moment.
    expect(engine.mostTaken).toBeLessThan(3 * MIB + 4 * MIB);
  });

  test("does not block other requests, with any number of clients at once, even if it is in memory", () => {
    const engine = engineWithMany();
    const readers = Array.from({ length: READERS }, () => engine.follow("since=0"));
    expect(engine.reads).toEqual([]);
    expect(engine.bytesSent).toBeGreaterThan(LITTLE / 2);
    expect(engine.bytesSent).toBeLessThan(LITTLE_MOST);
    // There was no request since.
    engine.settleUnread();
    expect(engine.bytesSent).toBeGreaterThan(READERS * 12 * 40 * KIB);
    expect(engine.mostInStep).toBeGreaterThan(MIB / 2);
    expect(engine.mostInStep).toBeLessThan(STEP_MOST);
    for (const reader of readers) expect(engine.numbers(reader)).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
  });

  test("leaves most of the time to requests, of which a host delivers one per turn", () => {
    const engine = engineWithMany();
    const readers = Array.from({ length: READERS }, () => engine.follow("since=0"));
    for (let moment = 0; moment < 20; moment++) {
      const before = engine.bytesSent;
      // The host's event loop may have any number of turns in this time.
      for (let turn = 0; turn < 10; turn++) {
        engine.ping();
        engine.pass(0);
      }
      expect(engine.bytesSent - before).toBeLessThan(LITTLE_MOST);
      expect(engine.bytesSent - before).toBeGreaterThan(moment === 0 ? -1 : LITTLE / 2);
      engine.seconds += 0.005;
    }
    engine.settleUnread();
    for (const reader of readers) expect(engine.numbers(reader)).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
  });

  test("is read by one client at a time, and clients that came one after the other soon read it together", () => {
    const engine = new JournaledEngine();
    // More than is kept of what was read.
    const events = 80;
    for (let number = 1; number <= events; number++) engine.reload([`number=${number}`, "x".repeat(200 * KIB)]);
    const filter = encodeURIComponent(JSON.stringify({ label: ["labels=other"] }));
    let pages = 0;
    for (let at = 0; at < READERS; at++) {
      engine.follow(`since=0&filters=${filter}`);
      expect(engine.reads).toHaveLength(1);
      engine.page();
      pages += 1;
    }
    while (engine.reads.length > 0) {
      expect(engine.reads).toHaveLength(1);
      engine.page();
      pages += 1;
    }
    // The event is read twice: for the first reader, and for the readers that came too late.
    expect(pages).toBeGreaterThanOrEqual(events);
    expect(pages).toBeLessThanOrEqual(2 * events);
  });

  test("that is pruned when a client has half of it ends only that client's stream", () => {
    const engine = new JournaledEngine(new MemoryJournal(8 * MIB));
    const [slow, quick] = [engine.follow(""), engine.follow("")];
    for (let number = 1; number <= 4; number++) {
      engine.reload(large(String(number)));
      for (let turn = 0; turn < 30; turn++) {
        engine.read(quick);
        while (engine.reads.length > 0) engine.page();
        engine.pass(0);
      }
    }
    expect(engine.sent(slow).over).toBe(false);
    const { unread } = engine.sent(slow);
    engine.settle();
    expect(engine.sent(slow).over).toBe(true);
    // After its data comes nothing that a client could take for another event, or for the rest of this one.
    expect(engine.sent(slow).text).toHaveLength(unread);
    expect(engine.sent(slow).text).not.toContain("\n");
    expect(engine.sent(slow).text).toContain("number=1");
    expect(engine.sent(quick).over).toBe(false);
    engine.happen(5, 5);
    engine.settle();
    expect(engine.numbers(quick)).toEqual([1, 2, 3, 4, 5]);
    const late = engine.follow("since=0");
    engine.settle();
    expect(engine.numbers(late).at(-1)).toBe(5);
  });

  test("is not kept in memory once it is stored", () => {
    const engine = new JournaledEngine();
    engine.happen(1, 1);
    const before = engine.living();
    for (let number = 0; number < 10; number++) engine.reload(large(String(number)));
    engine.happen(2, 2);
    // The core keeps the newest labels of the configuration.
    expect(engine.living() - before).toBeLessThan(3 * MIB);
  });
});
