// Checks that the simulator's handwritten lists of the WIT's commands are complete and correct.

import { expect, test } from "vitest";
import { CHANGES, HOST_COMMANDS, KINDS } from "./commands.js";
import { TRICKED, UNTRICKED } from "./faults.js";
import { IN_NO_STORY, outputKinds } from "./forks/kinds.js";

test("each host command is listed as tricked or as untricked", () => {
  const listed: readonly string[] = [...TRICKED, ...UNTRICKED];
  expect(HOST_COMMANDS.filter((command) => !listed.includes(command))).toEqual([]);
  expect(new Set(listed).size).toBe(listed.length);
});

test("a command that only asks does not count as a change", () => {
  expect(CHANGES).toContain("launch");
  expect(CHANGES).toContain("drop-chain");
  expect(CHANGES.filter((command) => ["stat", "ps", "resolve", "find"].includes(command))).toEqual([]);
});

test("a step's records are one output, and every other command is its own, except for kinds in no story", () => {
  const kinds = outputKinds();
  expect(kinds).toEqual(
    expect.arrayContaining(["records", "records read", "timers set", "replies whole", "content mount"]),
  );
  expect(kinds.filter((kind) => ["records put", "records delete", "records append"].includes(kind))).toEqual([]);
  const gone = KINDS.filter((kind) => !kinds.includes(kind) && !kind.startsWith("records "));
  expect(gone).toEqual(Object.keys(IN_NO_STORY));
});
