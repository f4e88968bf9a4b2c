// Tests the table of visits: it counts the cases that cross the boundary, at any place in a value, for people and
// tests.

import { expect, test } from "vitest";
import type { Input, engine } from "../../../hosts/shared/host.js";
import type { ObservedStep } from "../../../hosts/driver/observer.js";
import type { StepOutputs } from "../../../hosts/shared/outputs.js";
import { readBoundary } from "./boundary.js";
import { readTable, sum, tableText } from "./table.js";
import { Visits } from "./visits.js";

const boundary = readBoundary(new URL("../../../core/wit/", import.meta.url));

test("the boundary's cases are those of the WIT: of commands, inputs, inventories and notes", () => {
  const { entries } = boundary;
  expect(entries).toContain("content-command tags");
  expect(entries).toContain("input out-of-memory");
  expect(entries).toContain("exchange-failure timeout");
  expect(entries).toContain("process-state lost");
  expect(entries).toContain("reply-command bare");
  expect(entries).toContain("deed swept");
  expect(new Set(entries).size).toBe(entries.length);
});

test("a case is counted at any place in a value", () => {
  const failure = { tag: "no-such", val: { what: "volume", name: "v" } } as const;
  const visits = new Visits(boundary);
  const view = { container: "c", places: [] };
  const command = { tag: "stat" as const, val: { view, path: "/", follow: true } };
  visits.seen(
    step({ effects: [{ to: "content", op: 2n, command }] }),
    { tag: "completed", val: { op: 1n, outcome: { tag: "err", val: failure } } },
    null,
  );
  const counted = { "input completed": 1, "failure no-such": 1, "noun volume": 1, "content-command stat": 1 };
  expect(visits.visited.entries).toEqual(counted);
});

test("an answer is counted once, for its route", () => {
  const visits = new Visits(boundary);
  const request: Input = {
    tag: "request",
    val: { id: 7n, listener: "", method: "GET", target: "/info", headers: "", body: { tag: "none" } },
  };
  const route = "GET /info";
  const routed: engine.Note = { tag: "routed", val: { request: 7n, route, version: "1.55", source: "" } };
  visits.seen(step({}, [routed]), request, null);
  const head = { status: 200, headers: "" };
  const opened = { request: 7n, command: { tag: "open", val: head } } as const;
  visits.seen(step({ replies: [opened, { request: 7n, command: { tag: "end" } }] }), { tag: "elapsed", val: 1n }, null);
  expect(visits.visited.statuses).toEqual({ "GET /info 200": 1 });
});

test("the table shows visited and unvisited cases, and can be read back", () => {
  const entries = ["input reloaded", "input elapsed", "outcome done"];
  const statuses = {
    "POST /containers/{name}/start 204": 3,
    "POST /containers/{name}/start 404": 1,
    "no route 400": 2,
  };
  const text = tableText(entries, { entries: { "input elapsed": 4, "outcome done": 1 }, statuses });
  expect(text).toContain("visited 2 of 3 cases");
  expect(text).toContain("  input: reloaded 0, elapsed 4\n");
  expect(text).toContain("1 of 4 requests about a named object did not find it");
  expect(readTable(`before\n${text}\nbehind`)).toEqual({
    entries: { "input elapsed": 4, "outcome done": 1 },
    statuses,
  });
  expect(sum(statuses, /start$/, ["204"])).toBe(3);
});

function step(outputs: Partial<StepOutputs>, notes: engine.Note[] = []): ObservedStep {
  return {
    ...{ epoch: 1, step: 1, now: { wall: 0n, monotonic: 0n }, explain: () => notes },
    ...{ outputs: { records: [], effects: [], replies: [], ...outputs }, snapshot: () => new Uint8Array() },
  };
}
