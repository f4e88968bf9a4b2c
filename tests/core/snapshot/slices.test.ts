// Collections in slices: nobody waits long for one, and no answer depends on when they come.

import { expect, test } from "vitest";
import { EagerEngine } from "../support/eager-engine.js";

const CONTAINERS = 3000;
/** The work of a slice in an idle moment, and the references of the largest objects: the indexes of all containers. */
const SLICE = 20_000;
const LARGEST = 3 * CONTAINERS;

test(`no slice among ${CONTAINERS} containers does more than it may, and their collection has many`, () => {
  const engine = new EagerEngine();
  for (let i = 0; i < CONTAINERS; i++) create(engine, i);
  engine.collect();
  engine.largestSlice = 0;
  expect(engine.collect()).toBeGreaterThan(10);
  expect(engine.largestSlice).toBeLessThan(SLICE + LARGEST);
  expect(engine.largestSlice).toBeGreaterThanOrEqual(SLICE);
});

test("answers are the same with a slice of any size after each request, and without", () => {
  const [still, ...others] = [0, 1, 300, 2 ** 32 - 1].map((most) => ({ most, engine: new EagerEngine() }));
  for (let i = 0; i < 60; i++) {
    const expected = story(still!.engine, i);
    for (const { most, engine } of others) {
      for (let slice = 0; slice < 20; slice++) engine.collectSlice(most);
      expect(story(engine, i)).toEqual(expected);
    }
  }
});

function create(engine: EagerEngine, i: number): string {
  const body = { Image: "busybox", Cmd: ["sleep", `${i}`], Labels: { number: `${i}` } };
  return engine.request("POST", `/containers/create?name=c${i}`, body).body;
}

/** A container comes, changes and may go. Returns all answers. */
function story(engine: EagerEngine, i: number): unknown[] {
  const answers: unknown[] = [create(engine, i)];
  const ask = (method: string, target: string): void => void answers.push(engine.request(method, target));
  ask("POST", `/containers/c${i}/rename?name=d${i}`);
  ask("GET", `/containers/d${i}/json`);
  ask("GET", "/containers/json?all=1");
  if (i % 3 > 0) ask("DELETE", `/containers/d${i - 1}`);
  ask("POST", `/networks/create`);
  ask("GET", "/networks");
  ask("GET", "/info");
  return answers;
}
