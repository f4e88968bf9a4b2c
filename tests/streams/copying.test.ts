// Copies from a source that never ends: whether a file is a tar is found out without reading all of it.

import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { interrupted } from "../../hosts/shared/index.js";
import { copyFiles, pour } from "../../hosts/streams/copying/index.js";
import { patternOf } from "../../hosts/streams/copying/pattern.js";
import type { CopySource, CopyTarget } from "../../hosts/streams/copying/index.js";
import { UNLIMITED } from "../../hosts/streams/tar/index.js";
import type { TarSink } from "../../hosts/streams/tar/index.js";
import { rawTar } from "../support/archives/tar.js";

const PIECE = 256 << 10;
/** Pieces of a GiB. */
const MANY = 4096;

describe("ADD of a file that holds only zeros once it is decompressed", () => {
  test("reads a few MiB of it, then copies it as it is", async () => {
    const { source, read } = zeros();
    const { sink, names } = recording();
    await add(source, sink, () => {});
    expect(names).toEqual(["x/f"]);
    expect(read()).toBeLessThan(32);
  });

  test("can be given up", async () => {
    const { source, read } = zeros();
    const stopped = (): void => {
      if (read() === 3) throw interrupted("given-up");
    };
    await expect(add(source, recording().sink, stopped)).rejects.toThrow();
    expect(read()).toBe(3);
  });
});

test("no name makes a pattern take long", () => {
  const name = "a".repeat(5000);
  expect(patternOf("*a*a*a*a*a*a*a*a*a*a*a*a*b")!.test(name)).toBe(false);
  expect(patternOf("*a*a*a*a*a*a*a*a*a*a*a*a*b")!.test(`${name}b`)).toBe(true);
  expect(patternOf("x*ab*c?/*")!.test("x1ababcd/e")).toBe(true);
  expect(patternOf("**")!.test("a/b")).toBe(false);
});

function add(source: CopySource, sink: TarSink, stopped: () => void): Promise<void> {
  const files = [{ path: "f", to: { path: "/x/f" }, fresh: false }];
  const attributes = { owner: null, mode: [] };
  const missing = { ignored: [], patterns: [], byRoot: false };
  const target: CopyTarget = { sink, locate: (path) => path, has: () => true, now: () => 0n };
  const how = { decompressed: (bytes: AsyncIterable<Uint8Array>) => bytes, stopped };
  return copyFiles({ files, missing, parents: false, unpack: "/x", ownsPlace: false }, source, target, attributes, how);
}

function zeros(): { source: CopySource; read: () => number } {
  let pieces = 0;
  const source: CopySource = {
    locate: (path) => path,
    send: async (_path, into, stopped) => {
      const bytes = [rawTar([{ name: "f", body: "compressed" }])];
      await pour(Readable.from(bytes), into, stopped);
    },
    read: async function* () {
      for (; pieces < MANY;) {
        pieces++;
        yield new Uint8Array(PIECE);
      }
    },
  };
  return { source, read: () => pieces };
}

function recording(): { sink: TarSink; names: string[] } {
  const names: string[] = [];
  const sink: TarSink = {
    limits: UNLIMITED,
    entry: ({ name }) => void names.push(name),
    data: () => {},
    hole: () => {},
    end: () => {},
  };
  return { sink, names };
}
