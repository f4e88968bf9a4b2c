// The files of a client's directory as a tar: order, links, files that change, and clients that lie.
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { expect, test } from "vitest";
import { receivedFiles } from "../../hosts/buildkit/files/received-files.js";
import type { Caller } from "../../hosts/buildkit/conversation.js";
import { encode } from "../../hosts/buildkit/messages/codec.js";
import { STAT, packet } from "../../hosts/buildkit/messages/files.js";
import { uploadedArchive } from "../../hosts/buildkit/upload.js";
import { WANTED, client, received, type Scripted } from "./scripted-client.js";

const DIRECTORY = 2 ** 31 + 0o755;
const SYMLINK = 2 ** 27 + 0o777;

test("directories, files and links come in their order, whatever the order of their bytes", async () => {
  const stats = [
    { path: "a", mode: DIRECTORY },
    { path: "a/f", mode: 0o4755, size: 3, modTime: "1795949590067256074", uid: 7 },
    { path: "a/hard", mode: 0o644, size: 3, linkname: "a/f" },
    { path: "l", mode: SYMLINK, linkname: "a/f" },
    { path: "z", mode: 0o600, size: 1 },
  ];
  const made = await received(client(stats, { 1: ["on", "e"], 4: ["2"] }, [4, 1]));
  expect(made.map(({ entry, bytes }) => [entry.name, entry.type, entry.target, bytes])).toEqual([
    ["a/", "directory", "", ""],
    ["a/f", "file", "", "one"],
    ["a/hard", "link", "a/f", ""],
    ["l", "symlink", "a/f", ""],
    ["z", "file", "", "2"],
  ]);
  expect(made[1]!.entry).toMatchObject({ mode: 0o755, uid: 7, mtime: 1795949590067256074n });
});

test("a file that has grown is cut off, and one that has shrunk is as long as it is now", async () => {
  const stats = [
    { path: "grown", mode: 0o644, size: 2 },
    { path: "shrunk", mode: 0o644, size: 9 },
  ];
  const made = await received(client(stats, { 0: ["123", "4"], 1: ["x"] }));
  expect(made.map(({ bytes }) => bytes)).toEqual(["12", "x"]);
});

test("a large file is asked for alone and passed on as it comes; if it has shrunk, zeros follow", async () => {
  const size = 5 << 20;
  const stats = [
    { path: "large", mode: 0o644, size },
    { path: "small", mode: 0o644, size: 1 },
  ];
  const one = client(stats, { 0: ["begin"], 1: ["s"] });
  const made = await received(one);
  expect(made[0]!.bytes.length).toBe(size);
  expect(made[0]!.bytes.slice(0, 7)).toBe("begin\0\0");
  expect(made[1]!.bytes).toBe("s");
  expect(one.asked).toEqual([[0], [1]]);
});

test("what a client says about its failure is the failure", async () => {
  const broken = client([], {}, [], "no such directory");
  await expect(received(broken)).rejects.toMatchObject({ failure: { tag: "body-broke", val: "no such directory" } });
});

test("a client that leaves before the end is told apart from one that ends", async () => {
  const gone: Scripted = { ...client([], {}), messages: (async function* () {})() };
  await expect(received(gone)).rejects.toMatchObject({ failure: { tag: "interrupted", val: "client-gone" } });
});

test("many small files behind a large one: few are asked for at once, and what comes is read meanwhile", async () => {
  const size = 5 << 20;
  const small = Array.from({ length: 1000 }, (_, at) => ({ path: `s${at}`, mode: 0o644, size: 1 }));
  const bytes = Object.fromEntries(small.map((_, at) => [at + 1, ["s"]]));
  const one = client([{ path: "large", mode: 0o644, size }, ...small], { 0: ["begin"], ...bytes });
  // As a client that reads no more requests before it has sent what was asked for.
  let blocked: (() => void)[] = [];
  const { send, messages } = one;
  one.send = (message) => send(message).then(() => new Promise<void>((resolve) => blocked.push(resolve)));
  const reading = (async function* () {
    for await (const message of messages) {
      for (const resolve of blocked.splice(0)) resolve();
      yield message;
    }
  })();
  const made = await received(Object.assign(one, { messages: reading }));
  expect(made).toHaveLength(1001);
  expect(made.slice(1).every(({ bytes }) => bytes === "s")).toBe(true);
  expect(Math.max(...one.asked.map(({ length }) => length))).toBeLessThanOrEqual(100);
});

test("a small piece in a large message does not keep the message", async () => {
  const one = client([{ path: "f", mode: 0o644, size: 2 }], { 0: ["1", "2"] });
  const unknown = new BinaryWriter()
    .tag(15, WireType.LengthDelimited)
    .bytes(new Uint8Array(1 << 20))
    .finish();
  const padded = (async function* () {
    for await (const message of one.messages) yield Buffer.concat([message, unknown]);
  })();
  const kept: number[] = [];
  for await (const piece of receivedFiles(() => ({ ...one, messages: padded }), WANTED)) {
    kept.push(piece.buffer.byteLength);
  }
  expect(kept.length).toBeGreaterThan(0);
  expect(Math.max(...kept)).toBeLessThan(1 << 20);
});

test.each([
  ["files", (caller: Caller) => receivedFiles(caller, WANTED)],
  ["an archive", (caller: Caller) => uploadedArchive(caller, "/x")],
])("who stops reading %s ends the call, even while the client sends nothing", (_what, read) => {
  const silent = new Promise<never>(() => {});
  const messages = (async function* () {
    yield await silent;
  })();
  let cancelled = 0;
  const call = { ...client([], {}), messages, cancel: () => void (cancelled += 1) };
  const pieces = read(() => call)[Symbol.asyncIterator]();
  void pieces.next();
  void pieces.return!();
  expect(cancelled).toBe(1);
});

test.each([
  ["files whose bytes do not come", { mode: 0o644, size: 1 }],
  ["links behind such a file", { mode: SYMLINK, linkname: "x".repeat(50_000) }],
])("a client that lists %s without an end is refused before it fills the memory", async (_what, stat) => {
  let listed = 0;
  const messages = (async function* () {
    const end = "n".repeat(50_000);
    yield encode(packet, { type: STAT, stat: { path: "0", mode: 0o644, size: 1 } });
    for (; ; listed++) yield encode(packet, { type: STAT, stat: { path: `${listed}${end}`, ...stat } });
  })();
  const reading = receivedFiles(() => ({ ...client([], {}), messages }), WANTED)[Symbol.asyncIterator]();
  const all = (async () => {
    for (;;) if ((await reading.next()).done) return;
  })();
  await expect(all).rejects.toMatchObject({ failure: { tag: "too-large" } });
  expect(listed).toBeLessThan(4000);
});

test("a client whose bytes are no packets counts as gone", async () => {
  const messages = (async function* () {
    yield Uint8Array.of(0x0a, 0xff);
  })();
  const odd: Scripted = { ...client([], {}), messages };
  await expect(received(odd)).rejects.toMatchObject({ failure: { tag: "interrupted", val: "client-gone" } });
});

test("what is wanted is in the headers; values that no header may hold are escaped", async () => {
  const one = client([], {});
  await received(one);
  expect(one.headers).toEqual({
    "dir-name": ["context"],
    "exclude-patterns": ["*.log", "%C3%A4+b"],
    "exclude-patterns-encoded": ["1"],
  });
});
