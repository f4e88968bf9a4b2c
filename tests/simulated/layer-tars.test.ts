// A layer's tar is returned byte for byte, whatever happened to the unpacked layer: on the simulated disk and on Linux
// (as root).

import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { replies } from "../../hosts/shared/host.js";
import { missing, openFixture } from "../runtime-linux/content/content-fixture.js";
import { describeUnless } from "../support/on-engines.js";
import { digestOf } from "../support/registry/push-image.js";
import { readTar } from "../support/archives/read-tar.js";
import { ROOMY, rawEntry, rawTar, zstdStored } from "../support/archives/tar.js";
import { Fixture } from "./content-fixture.js";
import { numbers, randomTar } from "./random-files.js";
import { dir, file, link, symlink } from "./raw-entries.js";

/** The operations of both worlds. */
interface Disk {
  layer(tar: Uint8Array, parent?: string): Promise<string>;
  perform: Fixture["perform"];
  ingest: Fixture["ingest"];
  content: { saved(members: replies.SavedMember[]): AsyncIterable<Uint8Array> };
}

const BASE = rawTar([dir("d"), file("d/old", "old"), file("hidden", "x"), symlink("way", "d")]);
const LARGE = Buffer.alloc(1_500_000, "large");

const TARS: readonly [what: string, tar: Buffer][] = [
  ["files of all sizes", rawTar([file("empty", ""), file("one", "1"), { name: "large", body: LARGE }, dir("e")])],
  ["whiteouts, one with a body", rawTar([file(".wh.hidden", "a body"), dir("d"), file("d/.wh..wh..opq", "")])],
  ["hard links to its own and to what is below", rawTar([file("a", "1"), link("b", "a"), link("c", "d/old")])],
  ["a file through a link", rawTar([file("way/new", "new")])],
  ["a file that takes another's place", rawTar([file("a", "first"), file("a", "second")])],
  ["a link that takes a file's place", rawTar([file("a", "first"), file("b", "second"), link("a", "b")])],
  ["a directory that is replaced", rawTar([dir("x"), file("x/a", "1"), symlink("x", "d"), file("x/b", "2")])],
  ["a body where none belongs", rawTar([file("a", "1"), { name: "l", flag: "2", target: "a", size: 77 }])],
  ["the root as a file", rawTar([file(".", "x"), file("a", "1")])],
  [
    "long and strange names",
    rawTar([{ name: "x", longName: `${"n".repeat(200)}/${"m".repeat(200)}`, body: "1" }, file("r\xff\n", "2")]),
  ],
  ["records for all that follow", rawTar([{ name: "g", flag: "g", body: "18 comment=global\n" }, file("a", "1")])],
  ["odd magic and no end", Buffer.concat([rawEntry({ name: "v7", magic: "", body: "x" })])],
  ["an end within, and more behind it", Buffer.concat([rawTar([file("a", "1")]), Buffer.alloc(700_000, "rest")])],
  ["nothing", Buffer.alloc(1024)],
  ["not a byte", Buffer.alloc(0)],
];

describe("on the simulated disk", () => {
  let world: Fixture;
  beforeEach(() => void (world = new Fixture()));
  afterEach(() => world.time.close());
  keepsTars(() => world);
});

describeUnless(missing, "on Linux", () => {
  let fixture: ReturnType<typeof openFixture>;
  beforeEach(() => void (fixture = openFixture()));
  afterEach(() => fixture.close());
  keepsTars(() => fixture);
});

function keepsTars(disk: () => Disk): void {
  test.each(TARS)("%s", async (_, tar) => {
    const base = await disk().layer(BASE);
    await expectKept(disk(), await disk().layer(tar, base), tar);
    await expectKept(disk(), base, BASE);
  });

  test("with any content", async () => {
    for (let seed = 1; seed <= 25; seed++) {
      const below = randomTar(numbers(seed + 500));
      const tar = randomTar(numbers(seed), below);
      const base = await disk().layer(below);
      await expectKept(disk(), await disk().layer(tar, base), tar);
      await expectKept(disk(), base, below);
    }
  });

  test("as a compressed member", async () => {
    const tar = rawTar([file("a", "first"), file("a", "second"), file("b", "x")]);
    for (const [archive, body] of [
      ["gzip", gzipSync(tar)],
      ["zstd", zstdStored(tar)],
    ] as const) {
      await disk().ingest(archive, rawTar([{ name: "layer.tar", body }]));
      const chain = digestOf(tar);
      const source = { tag: "archived" as const, val: { archive, path: "layer.tar" } };
      await disk().perform({
        tag: "layer",
        val: { chain, diffId: chain, source, limits: ROOMY, anew: false, unflushed: false },
      });
      await expectKept(disk(), chain, tar);
      await disk().perform({ tag: "drop-chain", val: chain });
    }
  });

  test("an archive has its members in order, and no timestamps", async () => {
    const tar = rawTar([file("a", "1")]);
    const chain = await disk().layer(tar);
    const members: replies.SavedMember[] = [
      { name: "one", content: { tag: "bytes", val: Buffer.from("1") } },
      { name: "blobs/x", content: { tag: "layer", val: chain } },
      { name: "none", content: { tag: "bytes", val: new Uint8Array(0) } },
    ];
    const archive = await all(disk().content.saved(members));
    expect(await all(disk().content.saved(members))).toEqual(archive);
    expect((await readTar(archive)).map(({ name, text }) => [name, text.length])).toEqual([
      ["one", 1],
      ["blobs/x", tar.length],
      ["none", 0],
    ]);
  });
}

async function expectKept(disk: Disk, chain: string, tar: Buffer): Promise<void> {
  expect(await disk.perform({ tag: "measure-tar", val: { chain, verify: false } })).toEqual({
    tag: "size",
    val: BigInt(tar.length),
  });
  const [archive] = await readTar(await all(disk.content.saved([layerMember(chain)])));
  expect(digestOf(Buffer.from(archive!.text, "latin1"))).toBe(digestOf(tar));
}

function layerMember(chain: string): replies.SavedMember {
  return { name: "layer", content: { tag: "layer", val: chain } };
}

async function all(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const kept: Buffer[] = [];
  for await (const piece of pieces) kept.push(Buffer.from(piece));
  return Buffer.concat(kept);
}
