// Snapshots of the core, taken between the steps of stories: a restored instance continues like the original, and
// taking a snapshot has no visible effect.

import { readdirSync, readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { Instance, Trap } from "../../../hosts/driver/instance.js";
import { loadCore } from "../../../hosts/node/core-files.js";
import { Engine } from "../crash/engine.js";
import { Memory } from "../crash/memory.js";
import { act, drawStory } from "../crash/story.js";
import { type Recording, blanked, record } from "../support/recordings.js";
import { play } from "../scenario/scenario.js";
import { EagerEngine } from "../support/eager-engine.js";

const core = loadCore();
const SCENARIOS = new URL("../scenarios/", import.meta.url);
const STORIES = Number(process.env["SNAPSHOT_STORIES"] ?? "12");
const LENGTH = 12;

describe("taken before and after every step of a scenario", () => {
  test.each(readdirSync(SCENARIOS).sort())("%s", (name) => {
    const text = readFileSync(new URL(name, SCENARIOS), "utf8");
    for (const recording of record(() => play(text))) followSnapshots(recording, () => true);
  });
});

test(`taken now and then in ${STORIES} random stories`, () => {
  for (let seed = 1; seed <= STORIES; seed++) {
    const recordings = record(() => playStory(drawStory(seed, LENGTH)));
    expect(recordings).toHaveLength(1);
    for (const recording of recordings) followSnapshots(recording, (at) => at % 5 === seed % 5);
  }
}, 60_000);

function playStory(story: string[]): void {
  const engine = Engine.first();
  const memory = new Memory();
  engine.open();
  for (const line of story) act(engine, memory, line);
}

/**
 * Plays a recording on three instances: one that snapshots are taken of, one restored from the last of them, and one
 * restored from the very first, of which snapshots are taken too.
 */
function followSnapshots({ open, steps }: Recording, isTaken: (step: number) => boolean): void {
  const asked = new Instance(core);
  asked.open(...open);
  const first = asked.snapshot();
  const latest = restored(first);
  const earliest = restored(first);
  steps.forEach(({ now, input, outputs }, at) => {
    expectEqual(asked.step(now, input), outputs);
    const known = blanked(outputs);
    for (const instance of [latest, earliest]) expectEqual(blanked(instance.step(now, input)), known);
    const reasons = [asked, latest, earliest].map((instance) => instance.explain());
    expectEqual(reasons, [reasons[0], reasons[0], reasons[0]]);
    if (!isTaken(at)) return;
    const bytes = asked.snapshot();
    expect(same(latest.snapshot(), bytes)).toBe(true);
    expect(same(earliest.snapshot(), bytes)).toBe(true);
    expect(asked.garbage).toBe(0);
    // Also in a used instance nothing is left of what it was.
    latest.restore(bytes);
    expect(latest.garbage).toBe(0);
  });
}

/** Vitest's comparison takes most of this file's time, so it is used only to show a difference. */
function expectEqual<Value>(actual: Value, expected: Value): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected);
}

function restored(snapshot: Uint8Array): Instance {
  const instance = new Instance(core);
  instance.restore(snapshot);
  return instance;
}

function same(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}

describe("is refused", () => {
  const opened = (): Instance => {
    const [recording] = record(() => new EagerEngine());
    return (recording as Recording).instance;
  };

  test("bytes that are not a snapshot, are cut, or were made by another build of the core", () => {
    const bytes = opened().snapshot();
    expect(() => restored(bytes.subarray(0, bytes.length - 1))).toThrow("this snapshot is not whole");
    expect(() => restored(bytes.subarray(1))).toThrow("this is no snapshot");
    const foreign = bytes.slice();
    foreign[8]! ^= 1;
    expect(() => restored(foreign)).toThrow("this is a snapshot of another core");
    expect(() => restored(bytes)).not.toThrow();
  });

  test("a trapped instance, which must not be asked for one", () => {
    const instance = opened();
    expect(() => instance.restore(new Uint8Array(1))).toThrow("this is no snapshot");
    expect(() => instance.snapshot()).toThrow(Trap);
  });
});
