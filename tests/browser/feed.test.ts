// The pipe of the console: it holds no more than a Linux pipe, and no reader or writer waits for ever.

import { signal } from "@preact/signals-core";
import { expect, test, vi } from "vitest";
import { Feed } from "../../hosts/browser/notation/shell/feed.js";
import { following } from "../../hosts/browser/notation/shell/growing.js";
import { OUTPUT } from "../../hosts/browser/notation/shell/output.js";
import type { Exchange } from "../../hosts/browser/session/exchange.js";
import type { Frame, View } from "../../hosts/browser/session/view/view.js";
import { opened, ran } from "./typed-session.js";

const ROOM = 65_536;
const NEVER = new AbortController().signal;

test("a writer waits for the reader when the buffer is full", async () => {
  const feed = new Feed();
  let isWritten = false;
  const text = "x".repeat(3 * ROOM);
  const writing = feed.write(text).then(() => (isWritten = true));
  for (const left of [2 * ROOM, ROOM, 0]) {
    await turn();
    expect([feed.source.take()?.length, isWritten]).toEqual([ROOM, left === 0]);
  }
  await writing;
  feed.end();
  expect(feed.source.take()).toBeNull();
});

test("a waiting writer continues when the reader is gone", async () => {
  const feed = new Feed();
  const writing = feed.write("x".repeat(2 * ROOM));
  feed.close();
  await writing;
  await feed.write("more");
  expect([feed.closed.aborted, feed.sink.put(new Uint8Array(1))]).toEqual([true, null]);
});

test("an answer is written as fast as it is read, whole and in order", async () => {
  const feed = new Feed();
  const frames = Array.from({ length: 50 }, (_, at) => frame(`${at} ${"y".repeat(10_000)}\n`));
  const view = signal<View>({ kind: "frames", frames: frames.slice(0, 30), rest: new Uint8Array() });
  const end = following({ view } as unknown as Exchange, OUTPUT, (text) => feed.write(text));
  await turn();
  view.value = { kind: "frames", frames, rest: new Uint8Array() };
  expect(held(feed)).toBeLessThanOrEqual(ROOM);
  const over = end().then((wrote) => {
    feed.end();
    return wrote;
  });
  expect(await feed.whole(NEVER)).toBe(frames.map(({ bytes }) => new TextDecoder().decode(bytes)).join(""));
  expect(await over).toBe(true);
});

test("leaves no listener on the abort signal", async () => {
  const feed = new Feed();
  const { signal: stopped } = new AbortController();
  const [added, removed] = [vi.spyOn(stopped, "addEventListener"), vi.spyOn(stopped, "removeEventListener")];
  const read = feed.whole(stopped);
  for (const piece of ["a", "b", "c"]) {
    await feed.write(piece);
    await turn();
  }
  feed.end();
  expect(await read).toBe("abc");
  expect(added).toHaveBeenCalled();
  expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(added.mock.calls.map(([, listener]) => listener));
});

test("reading ends when it is stopped, and when there is too much input", async () => {
  const interrupt = new AbortController();
  const read = new Feed().whole(interrupt.signal);
  interrupt.abort();
  expect(await read).toBe("");
  const session = await opened();
  expect(await ran(session, "echo a | cat /dev/zero | xargs docker rm; echo $?")).toBe(
    "the input is larger than 16 MiB, which is too much for this page\n1",
  );
});

test("an endless writer ends with its reader", async () => {
  const session = await opened();
  expect(await ran(session, "echo a | cat /dev/zero | cat | head -c 3 | wc -c; echo after")).toBe("3\nafter");
  expect(await ran(session, "echo a | cat /dev/zero | wc --frob; echo $?")).toMatch(/frob(.|\n)*\n1$/);
});

function frame(text: string): Frame {
  return { stream: "stdout", header: new Uint8Array(8), bytes: new TextEncoder().encode(text), at: 0n };
}

/** Takes what it holds, and puts it back. */
function held(feed: Feed): number {
  const pieces: Uint8Array[] = [];
  for (let piece = feed.source.take(); piece; piece = feed.source.take()) pieces.push(piece);
  for (const piece of pieces.toReversed()) feed.source.unread(piece);
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
