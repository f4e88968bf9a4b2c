// What a client sent before is not asked for again, unless it may be another file now.
import { expect, test } from "vitest";
import { endOfArchive, headerOf, paddingOf } from "../../hosts/streams/tar/index.js";
import { joined, type SentBefore } from "../../hosts/shared/index.js";
import { entryOf } from "../../hosts/buildkit/files/entry.js";
import type { Fields } from "../../hosts/buildkit/messages/codec.js";
import { client, received } from "./scripted-client.js";

const DIRECTORY = 2 ** 31 + 0o755;
const SETTLED = 2_000_000_000n;
const FILE = { mode: 0o644, size: 3, modTime: "1000000007", uid: 1, gid: 2 };

interface Before extends SentBefore {
  doubts: number;
}

/** The tar of an earlier transfer. */
function before(files: readonly (readonly [Fields, string])[], end = endOfArchive()): Before {
  const tar = joined([
    ...files.flatMap(([stat, bytes]) => {
      const entry = entryOf(stat)!;
      return [headerOf(entry), new TextEncoder().encode(bytes), paddingOf(bytes.length)];
    }),
    end,
  ]);
  const made: Before = {
    doubts: 0,
    settled: SETTLED,
    doubt: () => void (made.doubts += 1),
    read: async (into, at) => {
      const piece = tar.subarray(at, at + into.length);
      into.set(piece);
      return piece.length;
    },
  };
  return made;
}

test("a file that is as it was comes from there; others are asked for, in the order of the list", async () => {
  const named = (path: string, more: Fields = {}): Fields => ({ ...FILE, path, ...more });
  const large = { size: 600_000 };
  const old = before([
    [named("a-b"), "a-b"],
    [named("d/gone"), "old"],
    [named("d/large", large), "L".repeat(600_000)],
    [named("d/same"), "one"],
    [named("ü", { xattrs: { "user.x": Uint8Array.of(1, 255) } }), "two"],
    [named("z"), "old"],
  ]);
  const stats = [
    named("a-b"),
    { path: "d", mode: DIRECTORY },
    named("d/large", large),
    named("d/new"),
    named("d/same"),
    named("ü", { xattrs: { "user.x": Uint8Array.of(1, 255) } }),
    named("z", { modTime: "1000000008" }),
  ];
  const one = client(stats, { 3: ["new"], 6: ["now"] });
  const made = await received(one, old);
  expect(one.asked.flat()).toEqual([3, 6]);
  expect(made.map(({ bytes }) => (bytes.length > 9 ? bytes.replace(/^L{600000}$/, "large") : bytes))).toEqual([
    "a-b",
    "",
    "large",
    "new",
    "one",
    "two",
    "now",
  ]);
  expect(old.doubts).toBe(0);
});

test.each<[string, Fields]>([
  ["size", { size: 4 }],
  ["time, within the same second", { modTime: "1000000008" }],
  ["mode", { mode: 0o755 }],
  ["owner", { uid: 3 }],
  ["group", { gid: 3 }],
  ["attributes", { xattrs: { "user.x": Uint8Array.of(1) } }],
  ["kind: it was a link", { linkname: "" }],
])("a file with another %s is asked for", async (what, change) => {
  const was = what.startsWith("kind") ? { ...FILE, path: "f", linkname: "e" } : { ...FILE, path: "f" };
  const one = client([{ ...FILE, path: "f", ...change }], { 0: ["new!"] });
  const made = await received(one, before([[was, what.startsWith("kind") ? "" : "old"]]));
  expect(one.asked).toEqual([[0]]);
  expect(made[0]!.bytes).toBe("size" in change ? "new!" : "new");
});

test("a file that may have been changed while it was sent is asked for", async () => {
  for (const [modTime, asked] of [
    [SETTLED - 1n, []],
    [SETTLED, [[0]]],
  ] as const) {
    const stat = { ...FILE, path: "f", modTime: String(modTime) };
    const one = client([stat], { 0: ["new"] });
    await received(one, before([[stat, "old"]]));
    expect(one.asked).toEqual(asked);
  }
});

test("a client that lists in another order, and a tar that is cut or none at all, only cost more bytes", async () => {
  const [a, b] = [
    { ...FILE, path: "a" },
    { ...FILE, path: "b" },
  ];
  const turned = client([b, a], { 1: ["new"] });
  const made = await received(
    turned,
    before([
      [a, "old"],
      [b, "two"],
    ]),
  );
  expect(made.map(({ bytes }) => bytes)).toEqual(["two", "new"]);
  for (const bad of [before([[a, "old"]], new Uint8Array(512).fill(7)), before([], new Uint8Array(100))]) {
    const one = client([b], { 0: ["two"] });
    expect((await received(one, bad)).map(({ bytes }) => bytes)).toEqual(["two"]);
  }
});

test("a file whose bytes are not all there is asked for", async () => {
  const [whole, cut] = [
    { ...FILE, path: "a" },
    { ...FILE, path: "b", size: 600_000 },
  ];
  const old = before(
    [
      [whole, "one"],
      [cut, "L".repeat(300_000)],
    ],
    new Uint8Array(),
  );
  const one = client([whole, cut], { 0: ["new"], 1: ["N".repeat(600_000)] });
  const made = await received(one, old);
  expect(one.asked.flat()).toContain(1);
  expect(made[1]!.bytes).toBe("N".repeat(600_000));
});

test("a large file that has shrunk while it was sent makes the whole transfer doubtful", async () => {
  const old = before([]);
  const made = await received(client([{ ...FILE, path: "f", size: 5 << 20 }], { 0: ["short"] }), old);
  expect([made[0]!.bytes.length, old.doubts]).toEqual([5 << 20, 1]);
});
