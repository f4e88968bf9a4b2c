// Who waits for a place, for how long, and who gives way.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Places } from "../../../runtime-linux/names/resolver/places.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("who comes when all places are taken begins as soon as one has left", () => {
  const { enter, leave, said } = opened(2, 2);
  for (const name of ["a1", "b1", "c1", "d1"]) enter(name);
  expect(said()).toEqual(["a1 begins", "b1 begins"]);
  leave("b1");
  expect(said()).toEqual(["c1 begins"]);
  leave("c1");
  expect(said()).toEqual(["d1 begins"]);
});

test("after a second without a place, the oldest gives way", () => {
  const { enter, said } = opened(1, 1);
  enter("a1");
  enter("b1");
  vi.advanceTimersByTime(999);
  expect(said()).toEqual(["a1 begins"]);
  vi.advanceTimersByTime(1);
  expect(said()).toEqual(["a1 ends", "b1 begins"]);
});

test("a holder's place is not its next one's while it has all of its own, and another's waiting one goes before", () => {
  const { enter, leave, said } = opened(3, 2);
  for (const name of ["a1", "a2", "b1", "a3", "b2"]) enter(name);
  expect(said()).toEqual(["a1 begins", "a2 begins", "b1 begins"]);
  leave("b1");
  expect(said()).toEqual(["b2 begins"]);
  leave("a1");
  expect(said()).toEqual(["a3 begins"]);
});

test("a holder that has much less than another does not wait for it", () => {
  const { enter, said } = opened(4, 3);
  for (const name of ["a1", "a2", "a3", "b1", "c1"]) enter(name);
  expect(said()).toEqual(["a1 begins", "a2 begins", "a3 begins", "b1 begins", "a1 ends", "c1 begins"]);
});

test("no more wait than have places: the longest waiting ends, and never begins", () => {
  const { places, enter, leave, said } = opened(2, 2);
  for (const name of ["a1", "a2", "a3", "a4", "a5"]) enter(name);
  expect(said()).toEqual(["a1 begins", "a2 begins", "a3 ends"]);
  expect(places.total).toBe(4);
  leave("a1");
  leave("a2");
  vi.advanceTimersByTime(5000);
  expect(said()).toEqual(["a4 begins", "a5 begins"]);
  expect(places.total).toBe(2);
});

test("all of one holder end, also those that wait, and none of them begins", () => {
  const { places, enter, said } = opened(2, 2);
  for (const name of ["a1", "a2", "a3"]) enter(name);
  said();
  places.endAll("a");
  vi.advanceTimersByTime(5000);
  expect(said()).toEqual(["a3 ends", "a1 ends", "a2 ends"]);
});

interface Named {
  begin(): void;
  end(): void;
}

/** What is ended leaves. */
function opened(all: number, one: number) {
  const places = new Places<Named>(all, one);
  const entered = new Map<string, Named>();
  const said: string[] = [];
  const leave = (name: string): void => places.leave(name[0]!, entered.get(name)!);
  const enter = (name: string): void => {
    const end = (): void => {
      said.push(`${name} ends`);
      leave(name);
    };
    const made = { begin: () => void said.push(`${name} begins`), end };
    entered.set(name, made);
    places.enter(name[0]!, made);
  };
  return { places, enter, leave, said: () => said.splice(0) };
}
