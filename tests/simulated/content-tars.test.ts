// How the simulated world handles layer tars and archives, including hostile ones.

import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { FileSystem } from "../../hosts/simulated/files/file-system.js";
import { digestOf } from "../support/registry/push-image.js";
import { FORMS } from "../support/archives/sparse-tar.js";
import { ROOMY, rawTar, type RawEntry } from "../support/archives/tar.js";
import { failed, Fixture } from "./content-fixture.js";
import { dir, file, link, symlink } from "./raw-entries.js";

let world: Fixture;
const text = (files: FileSystem, path: string): string => new TextDecoder().decode(files.read(path));
const bytes = (content: string): Uint8Array => new TextEncoder().encode(content);

beforeEach(() => {
  world = new Fixture();
});

afterEach(() => world.time.close());

describe("a layer's tar", () => {
  test("whiteouts hide lower files and none of the layer's own", async () => {
    const base = await world.layer(
      rawTar([
        dir("d"),
        file("d/a", "1"),
        file("d/b", "2"),
        dir("e"),
        file("e/a", "3"),
        file("f", "4"),
        dir("g"),
        file("g/a", "5"),
      ]),
    );
    const top = await world.layer(
      rawTar([
        file("d/.wh.a", ""),
        dir("e"),
        file("e/new", "6"),
        file("e/.wh..wh..opq", ""),
        file(".wh.f", ""),
        dir("f"),
        file("f/in", "7"),
        file(".wh.g", ""),
        file("g", "8"),
      ]),
      base,
    );
    const { files } = await world.mount(top);
    expect(["d", "e", "f"].map((name) => files.list(`/${name}`))).toEqual([["b"], ["new"], ["in"]]);
    expect(text(files, "/g")).toBe("8");
    const below = await world.mount(base);
    expect(below.files.list("/d")).toEqual(["a", "b"]);
  });

  test("hard links refer to files of the layer and of lower ones", async () => {
    const base = await world.layer(rawTar([dir("d"), file("d/a", "below")]));
    const top = await world.layer(
      rawTar([file("one", "x"), link("two", "one"), link("three", "d/a"), link("four", "/d/a")]),
      base,
    );
    const { files } = await world.mount(top);
    expect([files.status("/one").links, files.status("/d/a").links]).toEqual([2, 3]);
    expect([text(files, "/two"), text(files, "/four")]).toEqual(["x", "below"]);
    expect(await failed(world.layer(rawTar([link("a", "none")]), base))).toEqual({
      tag: "faulty-name",
      val: { what: "hard-link-to-nothing", name: "a", other: "none" },
    });
  });

  test("directories without an entry stay as in the lower layers", async () => {
    const base = await world.layer(rawTar([{ ...dir("d"), mode: 0o700, uid: 5 }]));
    const top = await world.layer(rawTar([file("d/a", "x"), { ...file("e/b", "y"), mode: 0o4755, gid: 9 }]), base);
    const { files } = await world.mount(top);
    expect(files.status("/d")).toMatchObject({ mode: 0o700, uid: 5 });
    expect(files.status("/e/b")).toMatchObject({ mode: 0o4755, gid: 9 });
  });

  const up = "../".repeat(20);
  test.each<[string, RawEntry[]]>([
    ["a file in the place of the root", [file("a/../..", "x")]],
    ["a hard link to a file outside", [link("stolen", `${up}etc/passwd`)]],
    ["a hard link through a link to a file outside", [symlink("out", up), link("stolen", "out/etc/passwd")]],
    ["a hard link to the root", [link("stolen", "./")]],
    ["a hard link to a directory", [dir("dir"), link("stolen", "dir")]],
    ["an entry below a file", [file("file", "x"), file("file/evil", "x")]],
    ["an entry through a loop", [symlink("a", "b"), symlink("b", "a"), file("a/evil", "x")]],
    ["a whiteout of the directory itself", [file("a/.wh..", "")]],
    ["a whiteout of nothing", [file("a/.wh.", "")]],
    ["an unknown type", [{ name: "what", flag: "Z" }]],
  ])("is refused for %s", async (_, entries) => {
    const base = await world.layer(rawTar([dir("base")]));
    const used = world.disk.room.used;
    const failure = await failed(world.layer(rawTar(entries), base));
    expect(["faulty-name", "damaged", "no-such"]).toContain(failure["tag"]);
    expect(world.content.chains()).toEqual([base]);
    expect(world.disk.room.used).toBeGreaterThanOrEqual(used);
  });

  test.each<[string, (tar: Buffer) => Uint8Array, string]>([
    ["is cut off", (tar) => tar.subarray(0, 700), "cut"],
    ["is cut off within gzip", (tar) => gzipSync(tar).subarray(0, 60), "cut"],
    ["is not a tar", () => Buffer.alloc(512, "x"), "tar-header"],
  ])("that %s is refused", async (_, spoil, what) => {
    const tar = spoil(rawTar([file("a", "x".repeat(2000))]));
    expect(await failed(world.layer(tar))).toEqual({ tag: "damaged", val: { what, said: "" } });
  });

  test.each([
    ["gzip", gzipSync],
    [
      "several members of gzip",
      (tar: Buffer) => Buffer.concat([gzipSync(tar.subarray(0, 300)), gzipSync(tar.subarray(300))]),
    ],
    ["zstd", (tar: Buffer) => zstdStored(tar)],
  ])("may come as %s", async (_, compress) => {
    const tar = rawTar([file("a", "x".repeat(2000))]);
    await world.ingest("l", rawTar([{ name: "layer.tar", body: compress(tar) }]));
    const chain = await world.unpack("l", digestOf(tar));
    expect(text((await world.mount(chain)).files, "/a")).toBe("x".repeat(2000));
  });
});

describe("an archive", () => {
  test("may have bytes up to the limit of the command, once it is decompressed", async () => {
    const body = gzipSync(rawTar([{ name: "f", body: "a".repeat(60_000) }]));
    const unpacked = 512n + 60_416n + 1024n;
    expect(await world.ingest("a", body, { ...ROOMY, unpacked })).toEqual([{ path: "f", size: 60_000n }]);
    const tooMuch = { tag: "too-large", val: { what: "unpacked", name: "", limit: unpacked - 1n } };
    expect(await failed(world.ingest("b", body, { ...ROOMY, unpacked: unpacked - 1n }))).toEqual(tooMuch);
  });

  test("may have holes up to the limit of the command", async () => {
    const body = rawTar([FORMS["1.0"]!({ name: "holes", parts: [[4096, 3]], size: 4099, body: "abc" })]);
    expect(await world.ingest("a", body, { ...ROOMY, holes: 4096n })).toEqual([{ path: "holes", size: 4099n }]);
    const tooMany = { tag: "too-large", val: { what: "holes", name: "", limit: 4095n } };
    expect(await failed(world.ingest("b", body, { ...ROOMY, holes: 4095n }))).toEqual(tooMany);
  });

  test("is ingested, read, and dropped", async () => {
    const before = world.disk.room.used;
    const tar = rawTar([
      dir("./d"),
      file("./d/f", "x"),
      symlink("s", "d/f"),
      link("h", "d/f"),
      file("b", "yy"),
      symlink("to-dir", "d"),
      file("../../up", "zzz"),
    ]);
    const files = await world.ingest("a", gzipSync(tar));
    expect(files.map(({ path, size }) => `${path} ${size}`)).toEqual(["b 2", "d/f 1", "h 1", "s 1", "up 3"]);
    const read = (path: string) => world.perform({ tag: "read", val: { archive: "a", path, limit: 3 } });
    expect(await read("s")).toEqual({ tag: "bytes", val: bytes("x") });
    expect(await read("up")).toEqual({ tag: "bytes", val: bytes("zzz") });
    const b = { archive: "a", path: "b", limit: 1 };
    expect(await failed(world.perform({ tag: "read", val: b }))).toEqual({
      tag: "too-large",
      val: { what: "member", name: "b", limit: 1n },
    });
    expect(await failed(read("none"))).toMatchObject({ tag: "no-such", val: { what: "member", name: "none" } });
    expect(await failed(read("d"))).toMatchObject({ tag: "wrong-kind", val: { what: "member", name: "d" } });
    expect(await failed(world.ingest("a", tar))).toMatchObject({ tag: "exists" });
    await world.perform({ tag: "drop-archive", val: "a" });
    expect(await failed(read("s"))).toMatchObject({ tag: "no-such", val: { what: "archive", name: "a" } });
    expect(world.disk.room.used).toBe(before);
  });

  test.each<[string, Uint8Array, Record<string, unknown>]>([
    ["that is cut off", rawTar([file("a", "xyz")]).subarray(0, 514), { tag: "damaged", val: { what: "cut" } }],
    ["of bzip2, cut off", bytes("BZh91AY&SY"), { tag: "damaged", val: { what: "cut" } }],
  ])("%s is refused", async (_, tar, expected) => {
    const before = world.disk.room.used;
    expect(await failed(world.ingest("a", tar))).toMatchObject(expected);
    expect(world.disk.room.used).toBe(before);
  });

  test("whose client leaves, or that is abandoned, is interrupted", async () => {
    async function* gone(): AsyncGenerator<Uint8Array> {
      yield rawTar([file("a", "xyz")]).subarray(0, 100);
      throw new Error("socket closed");
    }
    expect(await failed(world.ingest("a", gone()))).toMatchObject({ tag: "interrupted", val: "client-gone" });
    async function* silent(): AsyncGenerator<Uint8Array> {
      await new Promise(() => {});
      yield bytes("");
    }
    const taking = world.ingest("a", silent());
    await world.content.restart();
    expect(await failed(taking)).toMatchObject({ tag: "interrupted", val: "given-up" });
  });
});

/** A frame of raw blocks (RFC 8878 §3.1.1). */
function zstdStored(bytes: Buffer): Buffer {
  const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58]);
  const block = Buffer.alloc(3);
  block.writeUIntLE((bytes.length << 3) | 1, 0, 3);
  return Buffer.concat([header, block, bytes]);
}
