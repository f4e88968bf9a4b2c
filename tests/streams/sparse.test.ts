// Sparse files in tars, as the tar reader reports them: those of GNU tar itself, and invalid maps.

import { execFileSync } from "node:child_process";
import { closeSync, ftruncateSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { HostFailure } from "../../hosts/shared/failure.js";
import { TarReader } from "../../hosts/streams/tar/reader.js";
import { UNLIMITED, type TarLimits } from "../../hosts/streams/tar/sink.js";
import { bodyMapEntry, FORMS, type Sparse } from "../support/archives/sparse-tar.js";
import { rawTar, type RawEntry } from "../support/archives/tar.js";
import { flat } from "../support/failed.js";

interface Told {
  name: string;
  size: number;
  holes: number;
  body: Buffer;
}

const LARGE = 1 << 22;
let directory: string;
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), "coracle-sparse-"))));
afterEach(() => rmSync(directory, { recursive: true }));

describe("sparse files", () => {
  test.each([
    ["S", ["--format=gnu"]],
    ["0.0", ["--format=posix", "--sparse-version=0.0"]],
    ["0.1", ["--format=posix", "--sparse-version=0.1"]],
    ["1.0", ["--format=posix", "--sparse-version=1.0"]],
  ])("of GNU tar in format %s", async (_, options) => {
    const [few, many] = [fileOf("few", 2), fileOf("many", 60)];
    const tar = execFileSync("tar", ["-C", directory, "--sparse", ...options, "-c", "few", "many"], { maxBuffer: 1e9 });
    expect(tar.length).toBeLessThan(LARGE);
    const told = await read(tar);
    expect(told.map(({ name, size }) => [name, size])).toEqual([
      ["few", LARGE],
      ["many", LARGE],
    ]);
    expect(told[0]!.body.equals(few)).toBe(true);
    expect(told[1]!.body.equals(many)).toBe(true);
    expect(told[0]!.holes).toBeGreaterThan(LARGE / 2);
  });

  const names = Object.keys(FORMS);
  test.each(names)("in pieces of any size, with others before and after: %s", async (form) => {
    const parts = Array.from({ length: 50 }, (_, at) => [at * 100 + 7, 1] as const);
    const sparse: Sparse = { name: "x", parts, size: 6000, body: "abcde".repeat(10) };
    const tar = rawTar([{ name: "before", body: "1" }, FORMS[form]!(sparse), { name: "after", body: "2" }]);
    for (const piece of [1, 100, 511, 513, tar.length]) {
      const told = await read(tar, piece);
      expect(told.map(({ name }) => name)).toEqual(["before", "x", "after"]);
      expect(told[1]).toMatchObject({ size: 6000, holes: 5950 });
      expect(told[1]!.body.subarray(5).filter((byte) => byte > 0)).toHaveLength(50);
      expect(String.fromCharCode(told[1]!.body[107]!, told[1]!.body[4907]!)).toBe("be");
    }
  });

  test.each(names)("that are invalid are refused: %s", async (form) => {
    const made = (parts: Sparse["parts"], size: number, body: string): RawEntry =>
      FORMS[form]!({ name: "x", parts, size, body });
    const all: [RawEntry, string][] = [
      [made([[0, 3], [2, 4]], 100, "abcdefg"), "tar-header"], // prettier-ignore
      [made([[8, 3], [2, 4]], 100, "abcdefg"), "tar-header"], // prettier-ignore
      [made([[98, 4]], 100, "abcd"), "tar-header"],
      [made([[2 ** 32, 4]], 100, "abcd"), "tar-header"],
      [made([[0, 4]], 100, "abcdef"), "sparse-untold"],
      [made([[0, 4]], 100, "abc"), "sparse-missing"],
    ];
    for (const [entry, what] of all) expect(await refused([entry])).toEqual(damaged(what));
  });

  test.each<[string, RawEntry]>([
    ["a word instead of a number", { name: "x", body: "abc", pax: { ...ONE, "GNU.sparse.map": "0,x" } }],
    ["a negative number", { name: "x", body: "abc", pax: { ...ONE, "GNU.sparse.map": "-1,3" } }],
    ["a number too large", { name: "x", body: "abc", pax: { ...ONE, "GNU.sparse.map": "9".repeat(20) + ",3" } }],
    ["half a part", { name: "x", body: "abc", pax: { ...ONE, "GNU.sparse.map": "0" } }],
    ["more parts than it says", { name: "x", body: "abc", pax: { ...ONE, "GNU.sparse.map": "0,1,1,2" } }],
    ["a negative size", { name: "x", body: "abc", pax: { ...ONE, "GNU.sparse.map": "0,3", "GNU.sparse.size": "-5" } }],
    [
      "a name with a NUL",
      { name: "x", body: "abc", pax: { ...ONE, "GNU.sparse.map": "0,3", "GNU.sparse.name": "a\0b" } },
    ],
    ["a directory", { name: "x/", flag: "5", pax: { ...ONE, "GNU.sparse.map": "0,3" } }],
    ["the size before the offset", { name: "x", pax: [["GNU.sparse.numbytes", "3"], ["GNU.sparse.offset", "0"]] }], // prettier-ignore
    ["two offsets", { name: "x", pax: [["GNU.sparse.offset", "0"], ["GNU.sparse.offset", "0"]] }], // prettier-ignore
    ["ustar's mark", { ...FORMS["S"]!({ name: "x", parts: [[0, 3]], size: 9, body: "abc" }), magic: "ustar\x0000" }],
    ["no number of parts", bodyMapEntry({ name: "x", parts: [], size: 9, body: "" }, "many\n")],
    ["a line without an end", bodyMapEntry({ name: "x", parts: [], size: 9, body: "" }, "1".repeat(600))],
  ])("with %s are refused", async (_, entry) => {
    expect(await refused([entry])).toEqual(damaged("tar-header"));
  });

  test("whose map is longer than their body are cut off", async () => {
    const entry = bodyMapEntry({ name: "x", parts: [], size: 9, body: "" }, "500\n0\n0\n");
    expect(await refused([entry])).toEqual(damaged("tar-header"));
    const short = bodyMapEntry({ name: "x", parts: [], size: 9, body: "" }, `500\n${"0\n".repeat(254)}`);
    expect(await refused([short])).toEqual(damaged("cut"));
  });

  test("of an unknown version are plain files", async () => {
    const pax = { "GNU.sparse.major": "2", "GNU.sparse.minor": "0", "GNU.sparse.realsize": "100" };
    expect(await read(rawTar([{ name: "x", body: "abc", pax }]))).toMatchObject([{ name: "x", size: 3, holes: 0 }]);
  });
});

describe("parts of sparse files", () => {
  test.each(Object.keys(FORMS))("that touch are joined, as are the holes around an empty one: %s", async (form) => {
    const touching = Array.from({ length: 20 }, (_, at) => [100 + at * 2, 2] as const);
    const empty = Array.from({ length: 20 }, (_, at) => [200 + at * 10, 0] as const);
    const sparse: Sparse = { name: "x", parts: [...touching, ...empty], size: 500, body: "ab".repeat(20) };
    const told: string[] = [];
    const reader = new TarReader({
      limits: limitTo(LARGE),
      entry: () => {},
      data: (piece) => void told.push(`${piece.length} bytes`),
      hole: (size) => void told.push(`hole of ${size}`),
      end: () => void told.push("end"),
    });
    await reader.push(rawTar([FORMS[form]!(sparse)]));
    expect(told).toEqual(["hole of 100", "40 bytes", "hole of 360", "end"]);
  });

  test("do not block other work, in any number", async () => {
    const count = 40_000;
    const parts = Array.from({ length: count }, (_, at) => [at * 2 + 1, 1] as const);
    const sparse: Sparse = { name: "x", parts, size: count * 2, body: "a".repeat(count) };
    let [turns, told, over] = [0, 0, false];
    const took = (): void => {
      turns++;
      if (!over) setImmediate(took);
    };
    setImmediate(took);
    const sink = { limits: limitTo(LARGE), entry: () => {}, data: () => void told++, hole: () => {}, end: () => {} };
    await new TarReader(sink).push(rawTar([FORMS["S"]!(sparse)]));
    over = true;
    expect(told).toBe(count);
    expect(turns).toBeGreaterThan(count / 2000);
  });
});

describe("limits of sparse files", () => {
  const MOST = 1000;

  test.each(Object.keys(FORMS))(
    "a tar may have a limited number of bytes of holes, in one file or in many: %s",
    async (form) => {
      const hole = (size: number): RawEntry => FORMS[form]!({ name: "x", parts: [[0, 1]], size: size + 1, body: "a" });
      expect(await read(rawTar([hole(MOST)]), 512, MOST)).toMatchObject([{ size: MOST + 1, holes: MOST }]);
      const refusal = { tag: "too-large", val: { what: "holes", name: "", limit: BigInt(MOST) } };
      for (const entries of [[hole(MOST + 1)], [hole(MOST / 2), hole(MOST / 2), hole(1)], [hole(2 ** 32)]]) {
        expect(await refused(entries, MOST)).toEqual(refusal);
      }
    },
  );

  test("a map has at most 1 MiB", async () => {
    const refusal = { tag: "too-large", val: { what: "sparse-map", name: "", limit: 1n << 20n } };
    const parts = Array.from({ length: 21 * 2049 + 4 }, () => [0, 0] as const);
    const told = { name: "x", parts: parts.slice(21), size: 0, body: "" };
    expect(await read(rawTar([FORMS["S"]!(told)]))).toMatchObject([{ size: 0 }]);
    expect(await refused([FORMS["S"]!({ ...told, parts })])).toEqual(refusal);
    const lines = (count: number): RawEntry => bodyMapEntry(told, `${count}\n${"0\n".repeat(count * 2)}`);
    expect(await read(rawTar([lines(262_000)]))).toMatchObject([{ size: 0 }]);
    expect(await refused([lines(262_500)])).toEqual(refusal);
  });
});

const ONE = { "GNU.sparse.size": "10", "GNU.sparse.numblocks": "1" };

/** A file of `LARGE` bytes with this many non-empty parts. */
function fileOf(name: string, parts: number): Buffer {
  const file = openSync(join(directory, name), "w");
  ftruncateSync(file, LARGE);
  for (let at = 0; at < parts; at++) writeSync(file, `part ${at}`, at * 65536 + 4096);
  closeSync(file);
  return readFileSync(join(directory, name));
}

function limitTo(holes: number): TarLimits {
  return { ...UNLIMITED, holes };
}

async function read(tar: Uint8Array, piece = 1 << 16, mostHoles = LARGE * 4): Promise<Told[]> {
  const told: Told[] = [];
  let pieces: Uint8Array[] = [];
  const reader = new TarReader({
    limits: limitTo(mostHoles),
    entry: ({ name, size, holes }) => {
      told.push({ name, size, holes, body: Buffer.alloc(0) });
      pieces = [];
    },
    data: (bytes) => void pieces.push(new Uint8Array(bytes)),
    hole: (size) => void pieces.push(new Uint8Array(size)),
    end: () => void (told.at(-1)!.body = Buffer.concat(pieces)),
  });
  for (let at = 0; at < tar.length; at += piece) await reader.push(tar.subarray(at, at + piece));
  reader.end();
  for (const { size, body } of told) expect(body).toHaveLength(size);
  return told;
}

async function refused(entries: RawEntry[], mostHoles?: number): Promise<unknown> {
  const failure = await read(rawTar(entries), 1 << 16, mostHoles).catch((error: unknown) => error);
  if (!(failure instanceof HostFailure)) throw new Error(`not refused: ${JSON.stringify(failure)}`);
  return flat(failure.failure);
}

function damaged(what: string): unknown {
  return { tag: "damaged", val: { what, said: "" } };
}
