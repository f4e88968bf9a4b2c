// Changes in the directory with settings of registries are noticed.

import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import type * as Files from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { HostsWatch } from "../../hosts/node/config/hosts-watch.js";
import { openLog } from "../../hosts/node/log.js";
import { until } from "../support/commands.js";

/** What the kernel says instead of watching. */
const kernel = vi.hoisted(() => ({ refusal: "" }));
vi.mock("node:fs", async (original) => {
  const real = await original<typeof Files>();
  const watch = (...given: Parameters<typeof real.watch>): Files.FSWatcher => {
    if (kernel.refusal === "") return real.watch(...given);
    throw Object.assign(new Error(kernel.refusal), { code: kernel.refusal });
  };
  return { ...real, watch };
});

/** Longer than a watch waits for writers. */
const QUIET = 80;

let root: string;
let watch: HostsWatch | null = null;
let changes = 0;
let lines: string[] = [];
beforeEach(() => (root = mkdtempSync(join(tmpdir(), "coracle-watch-"))));
afterEach(() => {
  watch?.close();
  kernel.refusal = "";
  rmSync(root, { recursive: true });
});

/** Resolves when the directory is watched. */
async function watched(directory: string): Promise<void> {
  changes = 0;
  lines = [];
  const log = openLog(
    () => "info",
    (line) => lines.push(line),
  );
  watch = new HostsWatch(directory, () => changes++, log);
  await until("the first look", () => changes === 1);
}

async function noticed(change: () => void): Promise<void> {
  await quiet();
  const before = changes;
  change();
  await until(`what ${change} does`, () => changes > before);
}

function quiet(): Promise<void> {
  return new Promise((done) => setTimeout(done, QUIET));
}

test("files and directories that come, change and go, also by links", async () => {
  const place = join(root, "certs.d");
  const file = join(place, "r.example", "hosts.toml");
  const far = join(root, "far");
  for (const directory of [place, far]) mkdirSync(directory);
  await watched(place);
  await noticed(() => mkdirSync(join(place, "r.example")));
  await noticed(() => writeFileSync(file, "one"));
  await noticed(() => writeFileSync(file, "two"));
  await noticed(() => renameSync(file, `${file}.old`));
  await noticed(() => rmSync(join(place, "r.example"), { recursive: true }));
  await noticed(() => symlinkSync(far, join(place, "s.example")));
  await noticed(() => writeFileSync(join(far, "hosts.toml"), "three"));
  expect(lines).toEqual([]);
});

test("a directory that is missing, comes, goes and comes again", async () => {
  const place = join(root, "etc", "docker", "certs.d");
  const come = (): void => void mkdirSync(join(place, "r.example"), { recursive: true });
  const write = (): void => writeFileSync(join(place, "r.example", "hosts.toml"), "");
  await watched(place);
  for (const top of ["etc", join("etc", "docker"), join("etc", "docker", "certs.d")]) {
    await noticed(come);
    await noticed(write);
    await noticed(() => rmSync(join(root, top), { recursive: true }));
  }
  await noticed(() => mkdirSync(place, { recursive: true }));
});

test("nothing but the way to the directory counts above it, and nothing keeps the process", async () => {
  const held = process.getActiveResourcesInfo().filter((name) => name === "FSEventWrap");
  await watched(join(root, "etc", "certs.d"));
  writeFileSync(join(root, "stray"), "");
  mkdirSync(join(root, "etc"));
  await until("the way", () => changes === 2);
  writeFileSync(join(root, "etc", "stray"), "");
  writeFileSync(join(root, "stray"), "more");
  await quiet();
  expect(changes).toBe(2);
  expect(process.getActiveResourcesInfo().filter((name) => name === "FSEventWrap")).toEqual(held);
});

test("changes at one time are one, and none counts after the end", async () => {
  await watched(root);
  for (const name of ["a", "b", "c"]) mkdirSync(join(root, name));
  await quiet();
  expect(changes).toBe(2);
  mkdirSync(join(root, "d"));
  watch!.close();
  mkdirSync(join(root, "e"));
  await quiet();
  expect(changes).toBe(2);
});

test("one line says that there are too many directories", async () => {
  for (let number = 0; number < 257; number++) mkdirSync(join(root, `r${number}`));
  await watched(root);
  await noticed(() => mkdirSync(join(root, "more")));
  expect(lines).toEqual([expect.stringMatching(/may need SIGHUP.*only 256 directories/)]);
});

test.each(["ENOSPC", "EMFILE"])("one line says that the kernel watches no more: %s", async (refusal) => {
  kernel.refusal = refusal;
  await watched(root);
  await quiet();
  expect(lines).toEqual([expect.stringMatching(`may need SIGHUP.*${refusal}`)]);
  expect(changes).toBe(1);
});
