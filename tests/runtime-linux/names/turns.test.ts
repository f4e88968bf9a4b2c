// Whose turn it is when several containers wait for long answers.

import { setImmediate as round } from "node:timers/promises";
import { expect, test } from "vitest";
import { Turns } from "../../../runtime-linux/names/resolver/turns.js";

test("each holder has one turn before any has a second one", async () => {
  const turns = new Turns();
  const acted: string[] = [];
  for (const word of ["a1", "a2", "a3", "b1", "c1", "c2"]) turns.take(word[0]!, () => acted.push(word));
  expect(acted).toEqual([]);
  while (acted.length < 6) await round();
  expect(acted).toEqual(["a1", "b1", "c1", "a2", "c2", "a3"]);
});

test("each round of the event loop has one turn, and one that is taken within a turn waits for the next", async () => {
  const turns = new Turns();
  const acted: number[] = [];
  let rounds = 0;
  let left = 3;
  const act = (): void => {
    acted.push(rounds);
    if (--left > 0) turns.take("a", act);
  };
  turns.take("a", act);
  turns.take("b", () => acted.push(rounds));
  while (acted.length < 4) {
    await round();
    rounds++;
  }
  expect(new Set(acted).size).toBe(4);
});
