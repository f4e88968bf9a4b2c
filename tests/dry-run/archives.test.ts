// Which members of an archive a dry run can still read.

import { expect, test } from "vitest";
import { ThrownArchives } from "../../hosts/dry-run/archives.js";
import { HostFailure } from "../../hosts/shared/failure.js";
import { rawTar, type RawEntry } from "../support/archives/tar.js";

const MB = 1 << 20;

test("a member is read up to the limit of who reads it", async () => {
  const archives = await archivesOf({ one: [file("document", 3 * MB)] });
  expect(archives.read({ archive: "one", path: "document", limit: 3 * MB })).toHaveLength(3 * MB);
  expect(refusal(archives, "document", 3 * MB - 1)).toEqual({
    tag: "too-large",
    val: { what: "member", name: "document", limit: BigInt(3 * MB - 1) },
  });
});

test("the largest members make room for smaller ones, wherever they stand", async () => {
  const archives = await archivesOf({
    one: [file("before", MB), file("layer", 20 * MB), file("middle", 4 * MB), file("huge", 33 * MB)],
    two: [file("more", 12 * MB), file("after", 2 * MB)],
  });
  const isImagined = { tag: "imagined", val: { what: "member", name: "layer" } };
  expect(refusal(archives, "layer", 64 * MB)).toEqual(isImagined);
  expect(refusal(archives, "huge", 64 * MB)).toMatchObject({ tag: "imagined" });
  expect(refusal(archives, "layer", MB)).toMatchObject({ tag: "too-large" });
  for (const [path, size] of [["before", MB] as const, ["middle", 4 * MB] as const])
    expect(archives.read({ archive: "one", path, limit: size })).toHaveLength(size);
  expect(archives.read({ archive: "two", path: "after", limit: 4 * MB })).toEqual(new Uint8Array(2 * MB).fill(97));
});

test("a dropped archive, and one that broke off, make room", async () => {
  const archives = await archivesOf({ one: [file("a", 10 * MB), { name: "b", flag: "1", target: "a" }] });
  archives.drop("one");
  const half = rawTar([file("c", 10 * MB)]).subarray(0, 9 * MB);
  await expect(archives.ingest({ archive: "two", holes: 0n }, bodyOf(half), NEVER)).rejects.toThrow(HostFailure);
  await archives.ingest({ archive: "three", holes: 0n }, bodyOf(rawTar([file("d", 17 * MB), file("e", 15 * MB)])), NEVER);
  expect(archives.read({ archive: "three", path: "d", limit: 17 * MB })).toHaveLength(17 * MB);
});

const NEVER = new AbortController().signal;

async function archivesOf(archives: Record<string, RawEntry[]>): Promise<ThrownArchives> {
  const thrown = new ThrownArchives();
  for (const [archive, entries] of Object.entries(archives))
    await thrown.ingest({ archive, holes: 0n }, bodyOf(rawTar(entries)), NEVER);
  return thrown;
}

/** Of the archive `one`. */
function refusal(archives: ThrownArchives, path: string, limit: number): unknown {
  try {
    return archives.read({ archive: "one", path, limit });
  } catch (error) {
    return (error as HostFailure).failure;
  }
}

function file(name: string, size: number): RawEntry {
  return { name, body: new Uint8Array(size).fill(97) };
}

async function* bodyOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += MB) yield bytes.subarray(at, at + MB);
}
