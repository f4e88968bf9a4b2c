// Jobs in threads: bytes go both ways in order and only as far as they are wanted; jobs can be stopped; and a thread that
// ends takes only its own jobs along.

import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { UNLIMITED } from "../../../hosts/streams/tar/index.js";
import { given } from "../../../runtime-linux/content/threads/given.js";
import { Threads } from "../../../runtime-linux/content/threads/threads.js";

const PROGRAM = fileURLToPath(new URL("../../../build/content.cjs", import.meta.url));
const root = mkdtempSync(join(tmpdir(), "coracle-threads-"));
/** More than any of these tars has. */
const MUCH = 1n << 40n;
const NEVER = new AbortController().signal;
const data = { roots: { data: join(root, "data"), exec: join(root, "exec") } };
const threads = new Threads({ path: PROGRAM, data }, 1);

afterAll(async () => {
  await threads.close();
  rmSync(root, { recursive: true });
});

test("a thread writes a body as it was sent, and returns its digest", async () => {
  const bytes = randomBytes(5 << 20);
  const file = join(root, "whole");
  const diffId = await threads.run(
    "receive",
    { file, unpacked: MUCH },
    { signal: NEVER, body: () => inPieces(bytes, 100_000) },
  );
  expect(diffId).toBe(`sha256:${createHash("sha256").update(bytes).digest("hex")}`);
  expect(readFileSync(file).equals(bytes)).toBe(true);
});

test("a body that breaks off breaks off its job in the same way", async () => {
  const broken = threads.run(
    "receive",
    { file: join(root, "broken"), unpacked: MUCH },
    { signal: NEVER, body: () => breaking() },
  );
  await expect(broken).rejects.toMatchObject({ failure: { tag: "call", val: { error: "ECONNRESET" } } });
});

test("a body is read only as far as its job wants it", async () => {
  const read = { bytes: 0, over: false };
  const body = async function* (over: AbortSignal): AsyncGenerator<Uint8Array> {
    over.addEventListener("abort", () => (read.over = true));
    for (; !over.aborted; read.bytes += 1 << 20) yield Buffer.alloc(1 << 20);
  };
  // The job fails at once: its file cannot be made.
  const failed = threads.run("receive", { file: join(root, "none", "file"), unpacked: MUCH }, { signal: NEVER, body });
  await expect(failed).rejects.toMatchObject({ failure: { tag: "call", val: { error: "ENOENT" } } });
  expect(read.bytes).toBeLessThan(4 << 20);
});

test("who gives on after the reader has left does not wait for it", async () => {
  let isOver = false;
  const bytes = given(async (give) => {
    for (let left = 3; left > 0; left--) await give(Buffer.alloc(1));
    isOver = true;
  });
  for await (const _ of bytes) break;
  await expect.poll(() => isOver).toBe(true);
});

test("a job that waits for its body is stopped, and the thread goes on with others", async () => {
  const controller = new AbortController();
  let hear = (): void => {};
  const asked = new Promise<void>((resolve) => (hear = resolve));
  const silent = async function* (over: AbortSignal): AsyncGenerator<Uint8Array> {
    hear();
    await new Promise<void>((resolve) => over.addEventListener("abort", () => resolve()));
    yield Buffer.alloc(0);
  };
  const job = threads.run(
    "ingest",
    { directory: root, limits: UNLIMITED },
    { signal: controller.signal, body: silent },
  );
  await asked;
  controller.abort();
  await expect(job).rejects.toMatchObject({ failure: { tag: "interrupted", val: "given-up" } });
  const next = threads.run("receive", { file: join(root, "next"), unpacked: MUCH }, { signal: NEVER });
  expect(await next).toMatch(/^sha256:/);
});

test("a thread that ends fails its jobs; the next job gets another thread", async () => {
  const path = join(root, "ends.cjs");
  writeFileSync(path, 'require("node:worker_threads").parentPort.once("message", () => process.exit(1));');
  const short = new Threads({ path, data }, 1);
  for (let i = 0; i < 2; i += 1) {
    const job = short.run("receive", { file: join(root, "lost"), unpacked: MUCH }, { signal: NEVER });
    await expect(job).rejects.toThrow("a thread for content has ended");
  }
  await short.close();
});

test("given bytes are there until the next ones are wanted, and nobody gives more to who has stopped", async () => {
  let stopped = false;
  const bytes = given(async (give, signal) => {
    for (let at = 0; !signal.aborted; at += 1) await give(Buffer.from([at]));
    stopped = true;
  });
  const read: number[] = [];
  for await (const piece of bytes) {
    read.push(piece[0]!);
    if (read.length === 3) break;
  }
  expect(read).toEqual([0, 1, 2]);
  await expect.poll(() => stopped).toBe(true);
});

test("a giver's failure is the reader's", async () => {
  const bytes = given(async (give) => {
    await give(Buffer.from([1]));
    throw new Error("no more");
  });
  expect((await bytes.next()).value).toEqual(Buffer.from([1]));
  await expect(bytes.next()).rejects.toThrow("no more");
});

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function* breaking(): AsyncGenerator<Uint8Array> {
  yield Buffer.alloc(10);
  throw Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET", syscall: "read" });
}
