// Everything that can happen with a given number of commands on two containers (create, start, stop, kill, pause,
// unpause, remove, sent without waiting for each other), for every order of the host's work, with a crash at every
// point; equal states are merged. CORACLE_TEST_COMMANDS sets the number of commands; UPDATE=1 writes the result into
// tests/README.md.

import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { OMITTED, ROOTS } from "./core-memory.js";
import { agree, publish, published } from "./published.js";
import { Search } from "./search.js";

const COMMANDS = Number(process.env["CORACLE_TEST_COMMANDS"] ?? "3");
const PAGE = new URL("../../README.md", import.meta.url);
const UPDATES = process.env["UPDATE"] === "1" && process.env["CI"] !== "true";

test(
  `all that becomes of up to ${COMMANDS} commands over two containers`,
  () => {
    const { states, moves, cuts, rests } = new Search().run(COMMANDS);
    console.log(`${states} states, ${moves} moves, ${cuts} crashes, ${rests} states at rest: all hold`);
    const found = { states, moves, cuts };
    if (UPDATES && (COMMANDS === 3 || COMMANDS === 4)) publish(PAGE, COMMANDS, found);
    const said = published(PAGE, COMMANDS);
    if (said !== null && !agree(COMMANDS, found, said)) expect(found, "tests/README.md says otherwise").toEqual(said);
    expect(rests).toBeGreaterThan(0);
  },
  30 * 60_000,
);

test("all of the core's state is compared, or excluded by name", () => {
  const root = new URL("../../../core/assembly/", import.meta.url);
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  const kept = files.flatMap((file) => {
    const stores = readFileSync(new URL(file, root), "utf8").matchAll(/^export const [a-z]\w*: (\w+) = new \1\(/gm);
    return Array.from(stores, ([, name]) => `core/assembly/${file.replace(/\.ts$/, "")}/${name}`);
  });
  expect(kept.toSorted()).toEqual([...ROOTS, ...OMITTED].toSorted());
});
