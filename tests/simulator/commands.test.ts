// What the simulator lists of the WIT's commands, by hand, is all that there are, and nothing else.

import { expect, test } from "vitest";
import { CHANGES, HOST_COMMANDS, KINDS } from "./commands.js";
import { TRICKED, UNTRICKED } from "./faults.js";
import { IN_NO_STORY, outputKinds } from "./forks/kinds.js";

test("each command of a host is one that tricks are played with, or is said not to be", () => {
  const listed: readonly string[] = [...TRICKED, ...UNTRICKED];
  expect(HOST_COMMANDS.filter((command) => !listed.includes(command))).toEqual([]);
  expect(new Set(listed).size).toBe(listed.length);
});

test("commands that change something are those that do not only ask", () => {
  expect(CHANGES).toContain("launch");
  expect(CHANGES).toContain("drop-chain");
  expect(CHANGES.filter((command) => ["stat", "ps", "resolve", "find"].includes(command))).toEqual([]);
});

test("what a step writes down is one output; all else is one by itself, but for what is in no story", () => {
  const kinds = outputKinds();
  expect(kinds).toEqual(
    expect.arrayContaining(["records", "records read", "timers set", "replies whole", "content mount"]),
  );
  expect(kinds.filter((kind) => ["records put", "records delete", "records append"].includes(kind))).toEqual([]);
  const gone = KINDS.filter((kind) => !kinds.includes(kind) && !kind.startsWith("records "));
  expect(gone).toEqual(Object.keys(IN_NO_STORY));
});
