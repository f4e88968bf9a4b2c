// All that can become of up to so many commands over two containers (create, start, stop, kill, pause, unpause, remove,
// sent without waiting for each other), whatever order the host works in, with a crash at every point: equal states are
// taken for one. CORACLE_TEST_COMMANDS says how many commands.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { Search } from "./exhaustive/search.js";

const COMMANDS = Number(process.env["CORACLE_TEST_COMMANDS"] ?? "3");
const README = new URL("../../README.md", import.meta.url);

test(
  `all that becomes of up to ${COMMANDS} commands over two containers`,
  () => {
    const { states, moves, cuts, rests } = new Search().run(COMMANDS);
    console.log(`${states} states, ${moves} moves, ${cuts} crashes, ${rests} states at rest: all hold`);
    // Each change of the core may have a few more or less.
    const published = publishedStates(COMMANDS);
    if (published !== null) expect(Math.abs(states / published - 1), "the README says otherwise").toBeLessThan(0.2);
    expect(rests).toBeGreaterThan(0);
  },
  30 * 60_000,
);

/** What the README says of so many commands; null for nothing. */
function publishedStates(commands: number): number | null {
  const text = readFileSync(README, "utf8").replaceAll(/\s+/g, " ");
  const [, three = "", four = ""] =
    /Three commands come to about ([\d,]+) states, four to about ([\d,]+)/.exec(text) ?? [];
  const said = new Map([
    [3, three],
    [4, four],
  ]).get(commands);
  return said === undefined ? null : Number(said.replaceAll(",", ""));
}
