// Limits on what containers hold: who has to give way.
import { expect, test } from "vitest";
import { Shares } from "../../../runtime-linux/names/resolver/shares.js";

test("above its own limit, a holder's oldest gives way", () => {
  const { shares, enter, ended } = opened(10, 2);
  for (const name of ["a1", "a2", "b1", "a3"]) enter(name);
  expect(ended).toEqual(["a1"]);
  expect(shares.total).toBe(3);
});

test("above the limit of all, the oldest of whoever holds most gives way", () => {
  const { shares, enter, ended } = opened(4, 3);
  for (const name of ["b1", "a1", "a2", "a3", "c1", "d1"]) enter(name);
  expect(ended).toEqual(["a1", "a2"]);
  expect(shares.total).toBe(4);
});

test("who leaves makes room, once", () => {
  const { shares, enter, ended } = opened(2, 2);
  const first = enter("a1");
  for (let times = 0; times < 2; times++) shares.leave("a", first);
  for (const name of ["a2", "b1"]) enter(name);
  expect([ended, shares.total]).toEqual([[], 2]);
});

test("all of one holder end", () => {
  const { shares, enter, ended } = opened(9, 9);
  for (const name of ["a1", "b1", "a2"]) enter(name);
  shares.endAll("a");
  expect(ended).toEqual(["a1", "a2"]);
});

interface Named {
  end(): void;
}

function opened(all: number, one: number): { shares: Shares<Named>; enter: (name: string) => Named; ended: string[] } {
  const shares = new Shares<Named>(all, one);
  const ended: string[] = [];
  const enter = (name: string): Named => {
    const made = { end: () => void ended.push(name) };
    shares.enter(name[0]!, made);
    return made;
  };
  return { shares, enter, ended };
}
