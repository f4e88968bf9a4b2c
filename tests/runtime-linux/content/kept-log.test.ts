// Logs that outlive their containers, on disk.

import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Logs } from "../../../runtime-linux/stdio/log.js";
import { openFixture, type Fixture } from "./content-fixture.js";

const [CONTAINER, COPY] = ["a".repeat(64), "b".repeat(64)];
const LINE = "2026-01-01T00:00:01.000000000+00:00 stdout F one\n";
const CLIPPED = "2026-01-01T00:00:01.000000000+00:00 stderr F clipped\n";

let fixture: Fixture;
beforeEach(() => {
  fixture = openFixture();
  mkdirSync(fixture.paths.container(CONTAINER), { recursive: true });
});
afterEach(() => fixture.close());

function keep(limit: number): Promise<unknown> {
  const copy = { container: COPY, limit, note: "clipped" };
  return fixture.perform({ tag: "keep-log", val: { container: CONTAINER, copy } });
}

/** The copy, as the next reader of its log finds it. */
async function read(): Promise<string> {
  const log = new Logs((container) => fixture.paths.log(container)).open(COPY);
  const bytes = new Uint8Array(await log.size());
  await log.read(await log.start(), bytes);
  await log.close();
  return new TextDecoder().decode(bytes);
}

test("a copy has the lines and their times, stays without the container, and goes by itself", async () => {
  writeFileSync(fixture.paths.log(CONTAINER), LINE);
  expect(await keep(1000)).toEqual({ tag: "size", val: BigInt(LINE.length) });
  await fixture.perform({ tag: "drop-container", val: CONTAINER });
  expect(fixture.content.containers()).toEqual([COPY]);
  expect(await read()).toBe(LINE);
  await fixture.perform({ tag: "drop-container", val: COPY });
  expect(fixture.content.containers()).toEqual([]);
});

test("a copy may be made again, and is never longer than its limit and the note", async () => {
  writeFileSync(fixture.paths.log(CONTAINER), LINE.repeat(10));
  await keep(1000);
  expect(await keep(3 * LINE.length)).toEqual({ tag: "size", val: BigInt(3 * LINE.length + CLIPPED.length) });
  expect(await read()).toBe(LINE.repeat(3) + CLIPPED);
});

test("nothing is made of an empty log, or of none", async () => {
  expect(await keep(1000)).toEqual({ tag: "size", val: 0n });
  writeFileSync(fixture.paths.log(CONTAINER), "");
  expect(await keep(1000)).toEqual({ tag: "size", val: 0n });
  expect(existsSync(fixture.paths.container(COPY))).toBe(false);
});

test("a copy that fails leaves nothing", async () => {
  writeFileSync(fixture.paths.log(CONTAINER), LINE);
  mkdirSync(fixture.paths.log(COPY), { recursive: true });
  await expect(keep(1000)).rejects.toThrow();
  expect(readdirSync(fixture.paths.containers())).toEqual([CONTAINER]);
});
