// Whoever adds to the WIT, or draws less, hears what stories do not come to any more.

import { expect, test } from "vitest";
import { complaints } from "./gate.js";
import { SHOWN } from "./shown.js";
import { UNVISITED } from "./unvisited.js";

const statuses = { "POST /containers/{name}/start 204": 9, "POST /containers/{name}/start 404": 1 };
const shares = { ...statuses, "POST /containers/{name}/pause 204": 1, "POST /containers/{name}/exec 201": 1 };

test("what is never visited is complained of, unless it is excused", () => {
  const [unvisited = ""] = Object.keys(UNVISITED);
  const [shown = ""] = Object.keys(SHOWN);
  const entries = ["input elapsed", "input anew", unvisited, shown];
  const found = complaints(entries, { entries: { "input elapsed": 3 }, statuses: shares });
  expect(found).toEqual(["input anew is never visited"]);
});

test("what is visited may not be excused", () => {
  const [unvisited = ""] = Object.keys(UNVISITED);
  const found = complaints([unvisited], { entries: { [unvisited]: 1 }, statuses: shares });
  expect(found).toEqual([`${unvisited} is visited: visits/unvisited.ts says that it cannot be`]);
});

test("requests that come to nothing too often are complained of", () => {
  const wild = { ...shares, "POST /containers/{name}/pause 409": 9, "POST /containers/{name}/start 404": 90 };
  const found = complaints([], { entries: {}, statuses: wild });
  expect(found).toHaveLength(3);
  expect(found.join()).toMatch(/is there: 18 of 100.*starts of somebody: 9 of 100.*pauses that succeed: 10 of 100/);
});
