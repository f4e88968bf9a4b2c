// The history of builds by BuildKit, for clients that ask too much of it, and with records that are damaged.

import { expect, test } from "vitest";
import { encode, ImageWorld } from "../../support/image-world.js";
import { sendDefinition } from "../../support/session-files.js";
import { CONTROL, direct, drop, openSession, solve, watch } from "../solving.js";

/** With this frontend a build fails at once. */
const UNKNOWN = { Frontend: "other.v0" };
const LONG = "x".repeat(30_000);

function opened(options = {}): ImageWorld {
  const world = new ImageWorld(options);
  openSession(world);
  return world;
}

function list(world: ImageWorld, more: object = {}): bigint {
  return world.makeCall(`${CONTROL}/ListenBuildHistory`, { EarlyExit: true, ...more });
}

function refs(world: ImageWorld, more: object = {}): string[] {
  const lines = world.answer(list(world, more)).text.split("\n");
  return lines.filter(Boolean).map((line) => (JSON.parse(line) as { record: { Ref: string } }).record.Ref);
}

function buildRecords(world: ImageWorld): [string, string][] {
  const texts = [...world.records].map<[string, string]>(([key, value]) => [key, new TextDecoder().decode(value)]);
  return texts.filter(([key]) => key.startsWith("build/"));
}

test("patterns that cost too much match nothing", () => {
  const world = opened();
  const FrontendAttrs = { "vcs:source": LONG };
  for (let number = 0; number < 50; number++) solve(world, { Ref: `${number}`, ...UNKNOWN, FrontendAttrs });
  const costly = Array.from({ length: 50 }, (_, number) => `repository~=(x?){400}${number}$`);
  expect(refs(world, { Filter: ["ref==7", ...costly] })).toEqual(["7"]);
  expect(refs(world, { Filter: ["repository~=x{10}"] })).toHaveLength(50);
});

test("who listens, but does not read, hears no more after a while", () => {
  const world = opened({ reading: false });
  const listening = world.makeCall(`${CONTROL}/ListenBuildHistory`, {});
  const other = world.makeCall(`${CONTROL}/ListenBuildHistory`, { Ref: "1" });
  for (let number = 0; number < 1100; number++) {
    const FrontendAttrs = { target: number < 50 ? LONG : "" };
    solve(world, { Ref: `${number}`, ...UNKNOWN, FrontendAttrs });
  }
  expect(world.answer(listening).over).toBe(false);
  while (!world.answer(listening).over) world.read(listening);
  const heard = world.answer(listening).text;
  expect(heard.length).toBeLessThan(1_000_000);
  expect([heard.includes('"Ref":"990"'), heard.includes('"Ref":"1099"')]).toEqual([true, false]);
  expect(world.answer(other).over).toBe(false);
});

test("a record has no more than the beginning of a long frontend", () => {
  const world = opened();
  solve(world, { Frontend: "" });
  direct(world, "Solve", { Frontend: LONG.repeat(30), FrontendOpt: { target: LONG.repeat(30) } });
  direct(world, "Return", { error: { code: 2, message: "over" } });
  const [[, record]] = buildRecords(world) as [[string, string]];
  expect(record.length).toBeLessThan(6000);
});

test("a record has no user that only the middle of a long error shows to be one", () => {
  const world = opened();
  solve(world, { Frontend: "" });
  const message = `${"x".repeat(3000)} https://user:password${"y".repeat(2000)}@host ${"z".repeat(1000)}`;
  direct(world, "Return", { error: { code: 2, message } });
  const [[, record]] = buildRecords(world) as [[string, string]];
  expect([record.includes("password"), record.includes("https://xxxxx@host")]).toEqual([false, true]);
});

test("neither has one that only the Dockerfile names, which warnings show", () => {
  const world = opened();
  solve(world);
  sendDefinition(world, "FROM scratch AS One\n# https://user:password@host/a\n");
  drop(world);
  const { warnings } = JSON.parse(world.answer(watch(world)).text) as { warnings: { info: { data: string } }[] };
  const shown = warnings.map(({ info }) => Buffer.from(info.data, "base64").toString());
  expect(shown).toEqual(["FROM scratch AS One\n# https://xxxxx@host/a\n"]);
});

test.each<[string, (text: string) => string]>([
  ["of a build that is not over", (text) => text.replace(/"completed":\d+/, '"completed":0')],
  ["without a ref", (text) => text.replace('"ref":"a"', '"ref":""')],
  ["with the ref of another one", (text) => text.replace('"ref":"a"', '"ref":"b"')],
])("a record %s is set aside", (_what, damage) => {
  const world = opened();
  solve(world, { Ref: "a", ...UNKNOWN });
  world.sleep(1000);
  solve(world, { Ref: "b", ...UNKNOWN });
  const [key, text] = buildRecords(world).find(([, record]) => record.includes('"ref":"a"'))!;
  const damaged = damage(text);
  expect(damaged).not.toBe(text);
  const again = new ImageWorld({ records: new Map(world.records).set(key, encode(damaged)) });
  expect(refs(again)).toEqual(["b"]);
  const aside = [...again.records.keys()].filter((name) => name.startsWith("damaged/build/"));
  expect(aside.length + buildRecords(again).length).toBeGreaterThan(1);
});
