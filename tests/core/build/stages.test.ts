// Stages: what each begins with, what it takes from others, and which ones a target needs.

import { beforeAll, expect, test } from "vitest";
import { type Door, openDoor } from "../support/door.js";

let door: Door;
beforeAll(async () => {
  door = await openDoor("build-door");
}, 60_000);

const stages = (lines: string[], given: Record<string, string> = {}, target = "", contexts = {}) =>
  door.call("stages", lines.join("\n"), given, target, contexts);

test("begin with an image, an earlier stage, or nothing", () => {
  expect(stages(["FROM a:1 AS X", "FROM x", "FROM scratch as y", 'FROM "b"', "FROM later", "FROM c as later"])).toEqual(
    [
      "0 from a:1 as x",
      "1 from stage 0 uses 0",
      "2 from nothing as y",
      "3 from b",
      "4 from later",
      "5 from c as later",
      "needed 5, target 5",
    ],
  );
});

test("see the arguments before the first FROM", () => {
  const lines = ["ARG v=1 w", "ARG i=a:${v}", "FROM --platform=$P $i", "FROM ${w:-b}", "ARG v", "FROM $v"];
  expect(stages(lines, { v: "2" })).toEqual([
    "ARG v=1 w ",
    "ARG i=a:${v} ",
    "0 from a:2",
    "1 from b",
    "2 from 2",
    "needed 2, target 2",
  ]);
  expect(stages(["ARG P", "FROM --platform=${P} a"], { P: "linux/arm64" })).toEqual([
    "ARG P ",
    "0 from a for linux/arm64",
    "needed 0, target 0",
  ]);
});

test("see no arguments that are given but not declared before", () => {
  expect(stages(["FROM a${v}", "ARG v"], { v: "2" })).toContain("0 from a");
});

test("of arguments on one line, the later do not see the earlier; one without a value hides no other", () => {
  expect(stages(["ARG a=1 b=c$a", "FROM $b"])).toContain("0 from c");
});

test("need what they take files from", () => {
  const lines = ["FROM a as a", "FROM b as b", "FROM c", "FROM d as d", "COPY --from=0 x y", "COPY --from=B x y"];
  lines.push(
    "RUN --mount=from=2,target=/x true",
    "COPY --from=e x y",
    "COPY --from=d x y",
    "FROM f as unused",
    "FROM d",
  );
  expect(stages(lines)).toEqual([
    "0 from a as a",
    "1 from b as b",
    "2 from c",
    "3 from d as d uses 0 1 2",
    "4 from f as unused",
    "5 from stage 3 uses 3",
    "needed 0 1 2 3 5, target 5",
  ]);
});

test("need what the triggers of their base take files from", () => {
  const lines = ["FROM a as a", "FROM b as b", "ONBUILD COPY --from=a x y", "FROM b", "FROM scratch"];
  expect(stages(lines, {}, "b")).toContain("needed 1, target 1");
  expect(stages([...lines, "COPY --from=2 x y"])).toContain("needed 0 1 2 3, target 3");
});

test("are built up to a target, by its name in any case", () => {
  const lines = ["FROM a as x", "FROM b as Y", "FROM c"];
  expect(stages(lines, {}, "y")).toContain("needed 1, target 1");
  expect(stages(lines, {}, "X")).toContain("needed 0, target 0");
  expect(stages(lines, {}, "z")).toBe("failed to reach build target z in Dockerfile");
  expect(stages(lines, {}, "0")).toBe("failed to reach build target 0 in Dockerfile");
});

test("tell what ends the build when it reaches them", () => {
  const lines = ["ARG q=${", "FROM $v", "FROM a as x", "FROM b as x", "FROM ${v:?none}", "FROM --platform=${ c"];
  expect(stages(lines)).toEqual([
    "ARG q=${ failed to process \"${\": syntax error: missing '}'",
    "0 from nothing: base name ($v) should not be blank",
    "1 from a as x",
    "2 from b as x uses 1: x stage name already used",
    '3 from nothing: failed to process "${v:?none}": v: none',
    "4 from c: failed to process \"${\": syntax error: missing '}'",
    "needed 1 2 4, target 4",
  ]);
});

test("named contexts stand for images and stages of their names, and numbers do not count them", () => {
  const lines = [
    "ARG v=1",
    "FROM docker.io/library/base:latest AS own",
    "FROM base:1",
    "FROM c AS Replaced",
    "COPY --from=nothing x y",
    "FROM own",
    "COPY --from=0 x y",
    "RUN --mount=from=replaced true",
    "COPY --from=2 x y",
  ];
  const contexts = { base: "b:2", replaced: "r", unused: "u", scratch: "s" };
  expect(stages(lines, {}, "", contexts)).toEqual([
    "ARG v=1 ",
    "0 from b:2 as base",
    "1 from r as replaced",
    "2 from u as unused",
    "3 from stage 0 as own uses 0",
    "4 from base:1",
    "5 from stage 1 as replaced uses 1",
    "6 from stage 3 uses 3 1 5",
    "needed 0 1 3 5 6, target 6",
  ]);
  expect(stages(lines, {}, "Replaced", contexts)).toContain("needed 1 5, target 5");
  expect(stages(lines, {}, "unused", contexts)).toBe("failed to reach build target unused in Dockerfile");
  expect(stages(["FROM scratch"], {}, "", contexts)).toContain("needed 3, target 3");
});
