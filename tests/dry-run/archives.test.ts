// Tests which members of an archive a dry run keeps.

import { expect, test } from "vitest";
import { ThrownArchives } from "../../hosts/dry-run/archives.js";
import { HostFailure } from "../../hosts/shared/failure.js";
import { rawTar, type RawEntry } from "../support/archives/tar.js";

const KB = 1 << 10;

test("a member is read up to the limit of the command", async () => {
  const archives = await archivesOf({ one: [file("document", 3 * KB)] });
  expect(archives.read({ archive: "one", path: "document", limit: 3 * KB })).toHaveLength(3 * KB);
  expect(refusal(archives, "document", 3 * KB - 1)).toEqual({
    tag: "too-large",
    val: { what: "member", name: "document", limit: BigInt(3 * KB - 1) },
  });
});

test("the largest members make room for smaller ones, in any order", async () => {
  const archives = await archivesOf({
    one: [file("before", KB), file("layer", 20 * KB), file("middle", 4 * KB), file("huge", 33 * KB)],
    two: [file("more", 12 * KB), file("after", 2 * KB)],
  });
  const isImagined = { tag: "imagined", val: { what: "member", name: "layer" } };
  expect(refusal(archives, "layer", 64 * KB)).toEqual(isImagined);
  expect(refusal(archives, "huge", 64 * KB)).toMatchObject({ tag: "imagined" });
  expect(refusal(archives, "layer", KB)).toMatchObject({ tag: "too-large" });
  for (const [path, size] of [["before", KB] as const, ["middle", 4 * KB] as const])
    expect(archives.read({ archive: "one", path, limit: size })).toHaveLength(size);
  expect(archives.read({ archive: "two", path: "after", limit: 4 * KB })).toEqual(new Uint8Array(2 * KB).fill(97));
});

test("among members of about the same size, the newest make room, also if there are too many", async () => {
  const archives = new ThrownArchives(32 * KB, 3);
  await ingest(archives, "one", [file("a", 10), file("b", 9), file("empty", 0), file("c", 8), file("small", 2)]);
  for (const path of ["b", "c"]) expect(refusal(archives, path, KB)).toMatchObject({ tag: "imagined" });
  for (const [path, size] of [["empty", 0] as const, ["a", 10] as const, ["small", 2] as const])
    expect(archives.read({ archive: "one", path, limit: KB })).toHaveLength(size);
});

test("a dropped archive, and one that broke off, make room", async () => {
  const archives = await archivesOf({ one: [file("a", 10 * KB), { name: "b", flag: "1", target: "a" }] });
  archives.drop("one");
  const half = rawTar([file("c", 10 * KB)]).subarray(0, 9 * KB);
  await expect(
    archives.ingest({ archive: "two", limits: { unpacked: 1n << 40n, holes: 0n } }, bodyOf(half), NEVER),
  ).rejects.toThrow(HostFailure);
  await archives.ingest(
    { archive: "three", limits: { unpacked: 1n << 40n, holes: 0n } },
    bodyOf(rawTar([file("d", 17 * KB), file("e", 15 * KB)])),
    NEVER,
  );
  expect(archives.read({ archive: "three", path: "d", limit: 17 * KB })).toHaveLength(17 * KB);
});

const NEVER = new AbortController().signal;

async function archivesOf(archives: Record<string, RawEntry[]>): Promise<ThrownArchives> {
  const thrown = new ThrownArchives(32 * KB);
  for (const [archive, entries] of Object.entries(archives)) await ingest(thrown, archive, entries);
  return thrown;
}

async function ingest(archives: ThrownArchives, archive: string, entries: RawEntry[]): Promise<void> {
  await archives.ingest({ archive, limits: { unpacked: 1n << 40n, holes: 0n } }, bodyOf(rawTar(entries)), NEVER);
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
  for (let at = 0; at < bytes.length; at += KB) yield bytes.subarray(at, at + KB);
}
