// Events of megabytes: a client gets them whole, piece by piece as it reads; what is kept for those who do not read is
// little, and no step works long for them.

import { describe, expect, test } from "vitest";
import { JournaledEngine } from "./journaled.js";

const KIB = 1024;
const MIB = 1 << 20;
const READERS = 60;
/** A piece more than the credit. */
const UNREAD_MOST = (256 + 64 + 1) * KIB;
/** What one step sends all of them. */
const STEP_MOST = MIB + 64 * KIB + 1;

/** As a container's labels make it: many short texts. */
const large = (name: string): string[] => [`number=${name}`, "x".repeat(3 * MIB), `end=${name}`];

/** After a small one each. */
function engineWithLarge(): JournaledEngine {
  const engine = new JournaledEngine();
  engine.happen(1, 1);
  engine.reload(large("2"));
  engine.happen(3, 3);
  engine.reload(large("4"));
  engine.happen(5, 5);
  return engine;
}

describe("a large event", () => {
  test.each(["since=0", "since=0&filters=" + encodeURIComponent(JSON.stringify({ type: ["daemon"] }))])(
    "comes whole, between the others, from the journal (%s)",
    (query) => {
      const engine = engineWithLarge();
      const reader = engine.follow(query);
      engine.settle();
      expect(engine.numbers(reader)).toEqual([1, 2, 3, 4, 5]);
      expect(engine.events(reader)[1]!.Actor.Attributes["labels"]).toContain("end=2");
      expect(engine.sent(reader).mostUnread).toBeLessThan(UNREAD_MOST);
    },
  );

  test("comes whole to those who are there when it happens, however differently they read", () => {
    const engine = new JournaledEngine();
    const [fast, slow] = [engine.follow(""), engine.follow("")];
    for (const number of ["1", "2"]) {
      engine.reload(large(number));
      for (let turn = 0; turn < 30; turn++) engine.read(fast);
    }
    engine.settle();
    for (const reader of [fast, slow]) expect(engine.numbers(reader)).toEqual([1, 2]);
  });

  test("costs little for each client who reads none of it, in the core and out of it", () => {
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

  test("is read once for all who come to it at the same time, and no step sends more than some of them", () => {
    const engine = engineWithLarge();
    const readers = Array.from({ length: READERS }, () => engine.follow("since=0"));
    expect(engine.settleUnread()).toBeLessThan(4);
    expect(engine.mostInStep).toBeLessThan(STEP_MOST);
    engine.settle();
    for (const reader of readers) expect(engine.numbers(reader)).toEqual([1, 2, 3, 4, 5]);
    expect(engine.mostInStep).toBeLessThan(STEP_MOST);
  });

  test("is not kept in memory once it is written down", () => {
    const engine = new JournaledEngine();
    engine.happen(1, 1);
    const before = engine.living();
    for (let number = 0; number < 10; number++) engine.reload(large(String(number)));
    engine.happen(2, 2);
    // Of the configuration's labels the core keeps the newest.
    expect(engine.living() - before).toBeLessThan(3 * MIB);
  });
});
