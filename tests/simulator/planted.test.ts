// Checks that the simulator finds errors: a core that sometimes does one thing wrong fails within a few seeds, by the
// rule that it breaks.

import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import type { StepOutputs } from "../../hosts/shared/outputs.js";
import { prepareFuzz } from "./clients/fuzzed.js";
import { drawLines } from "./draw.js";
import { Questions, same } from "./invariants/questions.js";
import { playSeed, playStory, type Played } from "./play.js";
import { shortest } from "./shrink.js";
import { simulate } from "./simulate.js";
import { readStory } from "./story.js";
import type { Wrong } from "./planted.js";
import { WRONGS, wronged } from "./wrongs.js";

beforeAll(() => prepareFuzz(new URL("../swagger/swagger.tar.br", import.meta.url)));

const decoder = new TextDecoder();
const SEEDS = 60;
const STEPS = 150;
const LEAVES_MOUNTS = WRONGS.find(({ says }) => says === "leaves mounts")!;
test.each(WRONGS)("a core that $says fails", { timeout: 300_000 }, async (wrong) => {
  const finder = await finderOf(wrong.found, (seed) => playSeed(seed, STEPS, wronged(wrong)), wrong.seed);
  expect(finder, stale("seed", wrong)).toBe(wrong.seed ?? 1);
});

/** The first seed whose story breaks the rule. Null if none of them does. */
async function finderOf(rule: string, play: (seed: number) => Promise<Played>, first = 1): Promise<number | null> {
  const all = Array.from({ length: SEEDS }, (_, index) => index + 1);
  for (const seed of [first, ...all.filter((seed) => seed !== first)]) {
    const { breach } = await play(seed);
    if (breach?.rule === rule) return seed;
  }
  return null;
}

/** What is wrong if the seed that is known finds the error no more: each run would search for another one. */
function stale(what: "seed" | "afterLoss", { says }: Pick<Wrong, "says">): string {
  return `the error "${says}" is found by another seed: write it as \`${what}\` in tests/simulator/wrongs.ts`;
}

/** The rules that compare an engine with what it said before. */
const TRUSTING = ["history", "promises"];
const FORSAKEN = [
  "polite1 create anna busybox:latest job=-1,0",
  "polite1 start anna",
  "work 20",
  "power-loss 2",
  "work 9",
];
const LINES = 60;

test.each(WRONGS.filter(({ found }) => TRUSTING.includes(found)))(
  "a core that $says also fails after transactions were lost in a power cut",
  { timeout: 300_000 },
  async (wrong) => {
    const play = async (seed: number): Promise<Played> => {
      const lines = [...FORSAKEN, ...drawn(seed, LINES)];
      const played = await playStory({ seed, lines }, wronged(wrong));
      const isBehind = played.story.lines.length > FORSAKEN.length;
      return isBehind ? played : { ...played, breach: null };
    };
    const finder = await finderOf(wrong.found, play, wrong.afterLoss);
    expect(finder, stale("afterLoss", wrong)).toBe(wrong.afterLoss ?? 1);
  },
);

function drawn(seed: number, most: number): string[] {
  const lines: string[] = [];
  for (const line of drawLines(seed)) if (lines.push(line) === most) break;
  return lines;
}

test("a core that does not report lost events fails", { timeout: 300_000 }, async () => {
  const quiet: Wrong["instead"] = (command) => {
    return decoder.decode(command.val as Uint8Array).includes("events-lost") ? [] : [command];
  };
  const wrong: Wrong = { says: "is quiet", on: "replies", command: "chunk", each: 1, instead: quiet };
  const story = readStory(readFileSync(new URL("stories/journal-damaged.txt", import.meta.url), "utf8"));
  const { breach } = await playStory(story, wronged(wrong));
  expect(breach?.rule).toBe("past");
});

test("an engine that still knows the health of containers after a restart fails", () => {
  const container = (Status: string): string =>
    JSON.stringify({
      Id: "c",
      State: { Status: "running", Health: { Status, FailingStreak: 0, Log: [] } },
      ExecIDs: null,
      Config: { Volumes: null },
    });
  const asked = (Status: string): Questions => new Questions(answering(container(Status)), { wall: 0n, monotonic: 0n });
  expect(() => same("restart", "it", asked("healthy"), asked("starting"), "/containers/c/json")).not.toThrow();
  expect(() => same("restart", "it", asked("healthy"), asked("healthy"), "/containers/c/json")).toThrow(
    "it is healthy after a restart, not starting",
  );
});

/** An instance that gives this answer to every request. */
function answering(text: string): ConstructorParameters<typeof Questions>[0] {
  const head = { status: 200, headers: "" };
  const answer = { head, body: new TextEncoder().encode(text), stateless: false };
  const replies: StepOutputs["replies"] = [{ request: 1n, command: { tag: "whole", val: answer } }];
  return { step: () => ({ records: [], effects: [], replies }) };
}

test("a failing story is shortened to a few lines", { timeout: 300_000 }, async () => {
  const options = (): Parameters<typeof playStory>[1] => wronged({ ...LEAVES_MOUNTS, each: 1 });
  const played = await playSeed(1, STEPS, options());
  const rule = played.breach?.rule;
  expect(rule).toMatch(/owners|replies/);
  const short = await shortest(played, (story) => playStory(story, options()));
  expect(short.breach?.rule).toBe(rule);
  expect(short.story.lines.length).toBeLessThan(10);
  // The short story fails again when it is played again, and a correct core plays it to its end.
  expect((await playStory(short.story, options())).breach?.rule).toBe(rule);
  expect((await playStory(short.story)).breach).toBe(null);
});

test("a failure is printed with its seed, its commit and a failing story", { timeout: 300_000 }, async () => {
  const told = await simulate("--wrong", "asks twice", "--seed", "4", "--steps", "150", "--jobs", "1");
  const [, rule = "", enough, story = ""] =
    /^seed 4 of commit (?:[0-9a-f]{7,}|unknown) breaks "(.*)"[^]*?\n\d+ lines, of which (\d+) are enough:\n(seed 4\n[^]*?)\n\n/.exec(
      told,
    ) ?? [];
  expect(rule, told).not.toBe("");
  expect(told).toMatch(/; 1 failed$/m);
  const { seed, lines } = readStory(story);
  expect([seed, String(lines.length)]).toEqual([4, enough]);
  const asksTwice = WRONGS.find(({ says }) => says === "asks twice")!;
  expect((await playStory({ seed, lines }, wronged(asksTwice))).breach?.rule).toBe(rule);
  expect((await playStory({ seed, lines })).breach).toBe(null);
});
