// The events of a recording: each step sees those before it, and a long recording needs no more memory than its events.

import { expect, test } from "vitest";
import { EventList } from "../../hosts/timeline/event-list.js";
import type { EventView } from "../../hosts/timeline/event-view.js";

const STEPS = 50_000;

function event(number: number): EventView {
  return { number, type: "container", action: "start", id: "", attributes: {}, at: 0n };
}

function numbersOf(events: Iterable<EventView>): number[] {
  return [...events].map(({ number }) => number);
}

test("a list does not change when another one or a branch continues it", () => {
  const two = EventList.NONE.with([event(0), event(1)]);
  const three = two.with([event(2)]);
  const branch = two.with([event(9)]);
  const longer = three.with([event(3), event(4)]);
  expect(numbersOf(EventList.NONE)).toEqual([]);
  expect(numbersOf(two)).toEqual([0, 1]);
  expect(numbersOf(three)).toEqual([0, 1, 2]);
  expect(numbersOf(branch)).toEqual([0, 1, 9]);
  expect(numbersOf(longer)).toEqual([0, 1, 2, 3, 4]);
  expect(numbersOf(longer.since(3))).toEqual([3, 4]);
  expect(numbersOf(longer.since(-7))).toEqual([0, 1, 2, 3, 4]);
  expect(JSON.stringify(two.since(0).map(({ number }) => number))).toBe("[0,1]");
});

// Copying the list for each step would need 1,250 million references, 10 GB.
test("many steps can keep their lists at the same time", () => {
  const lists = [EventList.NONE];
  for (let step = 0; step < STEPS; step += 1) lists.push(lists[step]!.with([event(step)]));
  expect(lists.map(({ length }) => length)).toEqual(lists.map((_, step) => step));
  expect(numbersOf(lists[STEPS]!.since(STEPS - 2))).toEqual([STEPS - 2, STEPS - 1]);
});
