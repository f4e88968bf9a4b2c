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
import { OrHere } from "../../../runtime-linux/content/threads/or-here.js";
import { Threads } from "../../../runtime-linux/content/threads/threads.js";
import type { Workers } from "../../../runtime-linux/content/threads/workers.js";

const PROGRAM = fileURLToPath(new URL("../../../build/content.cjs", import.meta.url));
const root = mkdtempSync(join(tmpdir(), "coracle-threads-"));
/** More than any of these tars has. */
const MUCH = 1n << 40n;
const PIECE = 1 << 20;
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

test("a thread takes the memory of pieces that are its own, and no more than that", async () => {
  const bytes = randomBytes(3 * PIECE);
  const parts = [0, 1, 2].map((at) => bytes.subarray(at * PIECE, (at + 1) * PIECE));
  const whole = parts.map((part) => new Uint8Array(part));
  const sent = async (file: string, pieces: Uint8Array[], isOwn: boolean): Promise<number[]> => {
    const args = { file: join(root, file), unpacked: MUCH };
    const body = async function* (): AsyncGenerator<Uint8Array> {
      yield* pieces;
    };
    await threads.run("receive", args, { signal: NEVER, body, isOwn });
    expect(readFileSync(args.file).equals(bytes)).toBe(true);
    return pieces.map(({ length }) => length);
  };
  expect(await sent("lent", whole, false)).toEqual([PIECE, PIECE, PIECE]);
  expect(await sent("parts", parts, true)).toEqual([PIECE, PIECE, PIECE]);
  expect(await sent("own", whole, true)).toEqual([0, 0, 0]);
});

test("the calling thread does the jobs that begin during an action, and threads do all others", async () => {
  const done: string[] = [];
  const noting = (who: string): Workers => ({
    run: async (name) => void done.push(`${who} ${name}`) as never,
    close: async () => void done.push(`${who} close`),
  });
  const workers = new OrHere(noting("here"), noting("threads"));
  const job = (): Promise<unknown> => workers.run("copy", {} as never, { signal: NEVER });
  await job();
  await workers.allHere(job);
  await expect(
    workers.allHere(async () => {
      throw new Error("it failed");
    }),
  ).rejects.toThrow("it failed");
  await job();
  await workers.close();
  expect(done).toEqual(["threads copy", "here copy", "threads copy", "threads close"]);
});

test("a body that breaks off breaks off its job in the same way", async () => {
  const broken = threads.run(
    "receive",
    { file: join(root, "broken"), unpacked: MUCH },
    { signal: NEVER, body: () => breaking() },
  );
  await expect(broken).rejects.toMatchObject({ failure: { tag: "call", val: { error: "ECONNRESET" } } });
});

test("a body is read only as far as its job wants it, and no further once that has failed", async () => {
  // The first job wants one piece of its body. Others want one more for it, count what has arrived, or let it fail.
  const path = programOf(
    "wants",
    `let [first, pieces] = [null, 0];
    require("node:worker_threads").parentPort.on("message", ({ args, port }) => {
      if (first === null) (first = port).on("message", ({ tag }) => (pieces += tag === "piece" ? 1 : 0));
      if (args.file === "more") first.postMessage({ tag: "room", bytes: ${PIECE} });
      if (args.file === "fail") first.postMessage({ tag: "failed", failure: { tag: "interrupted", val: "given-up" } });
      if (port !== first) port.postMessage({ tag: "done", val: pieces });
    });`,
  );
  const slow = new Threads({ path, data }, 1);
  const ask = (file: string): Promise<unknown> => slow.run("receive", { file, unpacked: MUCH }, { signal: NEVER });
  const read = { pieces: 0, over: false };
  const body = async function* (over: AbortSignal): AsyncGenerator<Uint8Array> {
    over.addEventListener("abort", () => (read.over = true));
    for (; !over.aborted; read.pieces += 1) yield Buffer.alloc(PIECE);
  };
  const wants = { signal: NEVER, body };
  const failed = expect(slow.run("receive", { file: "more", unpacked: MUCH }, wants)).rejects.toMatchObject({
    failure: { tag: "interrupted", val: "given-up" },
  });
  for (const wanted of [1, 2]) {
    await expect.poll(() => ask("count")).toBe(wanted);
    // Whatever else was read would have arrived by now.
    expect(await ask("count")).toBe(wanted);
    expect(read).toEqual({ pieces: wanted - 1, over: false });
    if (wanted === 1) await ask("more");
  }
  await ask("fail");
  await failed;
  expect(read.over).toBe(true);
  await slow.close();
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
  const path = programOf("ends", 'require("node:worker_threads").parentPort.once("message", () => process.exit(1));');
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

test.each([
  ["throws", 'setImmediate(() => { throw new Error("the disk is on fire"); });', "the disk is on fire"],
  ["needs too much memory", "const all = []; for (;;) all.push([...Array(1 << 16).keys()]);", "memory limit"],
])("a thread that %s says why its jobs fail", async (_what, act, why) => {
  const path = programOf("dies", `require("node:worker_threads").parentPort.once("message", () => { ${act} });`);
  const dying = new Threads({ path, data }, 1, { maxOldGenerationSizeMb: 32 });
  const job = dying.run("receive", { file: join(root, "lost"), unpacked: MUCH }, { signal: NEVER });
  await expect(job).rejects.toThrow(new RegExp(`^a thread for content has ended: .*${why}`));
  await dying.close();
});

test("threads go on with the program of their engine when another one is built", async () => {
  const answer = (text: string): string =>
    `require("node:worker_threads").parentPort.on("message", ({ port }) => port.postMessage({ tag: "done", val: "${text}" }));`;
  const path = programOf("built", answer("old"));
  const early = new Threads({ path, data }, 1);
  programOf("built", answer("new"));
  const args = { file: join(root, "any"), unpacked: MUCH };
  expect(await early.run("receive", args, { signal: NEVER })).toBe("old");
  await early.close();
});

test("a job that cannot be sent leaves its thread as free as before", async () => {
  const job = threads.run("receive", { file: (() => {}) as never, unpacked: MUCH }, { signal: NEVER });
  await expect(job).rejects.toThrow("could not be cloned");
  const next = threads.run("receive", { file: join(root, "after"), unpacked: MUCH }, { signal: NEVER });
  expect(await next).toMatch(/^sha256:/);
});

/** Writes the program of a thread. */
function programOf(name: string, code: string): string {
  const path = join(root, `${name}.cjs`);
  writeFileSync(path, code);
  return path;
}

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function* breaking(): AsyncGenerator<Uint8Array> {
  yield Buffer.alloc(10);
  throw Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET", syscall: "read" });
}
