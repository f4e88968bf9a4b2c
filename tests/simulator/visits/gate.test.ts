// Tests the gate that reports which cases of the boundary stories do not reach, after a change of the WIT or the
// draws.

import { expect, test } from "vitest";
import { complaints } from "./gate.js";
import { SHOWN } from "./shown.js";
import { UNVISITED } from "./unvisited.js";

const statuses = { "POST /containers/{name}/start 204": 9, "POST /containers/{name}/start 404": 1 };
const shares = { ...statuses, "POST /containers/{name}/pause 204": 1, "POST /containers/{name}/exec 201": 1 };

test("a case that is never visited is reported, unless it is excused", () => {
  const [unvisited = ""] = Object.keys(UNVISITED);
  const [shown = ""] = Object.keys(SHOWN);
  const entries = ["input elapsed", "input anew", unvisited, shown];
  const found = complaints(entries, { entries: { "input elapsed": 3 }, statuses: shares });
  expect(found).toEqual(["input anew is never visited"]);
});

test("a visited case must not be excused", () => {
  const [unvisited = ""] = Object.keys(UNVISITED);
  const found = complaints([unvisited], { entries: { [unvisited]: 1 }, statuses: shares });
  expect(found).toEqual([`${unvisited} is visited: visits/unvisited.ts says that it cannot be`]);
});

test("requests that fail too often are reported", () => {
  const wild = { ...shares, "POST /containers/{name}/pause 409": 9, "POST /containers/{name}/start 404": 90 };
  const found = complaints([], { entries: {}, statuses: wild });
  expect(found).toHaveLength(3);
  expect(found.join()).toMatch(/that exists: 18 of 100.*starts of a .*: 9 of 100.*pauses that succeed: 10 of 100/);
});
