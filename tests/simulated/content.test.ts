// Layers of the simulated world: fetched, checked, unpacked, shared; archives; what comes of a container's changes.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { gzipSync } from "node:zlib";
import type { content, types } from "../../hosts/host.js";
import type { FileSystem } from "../../hosts/simulated/files/file-system.js";
import { digestOf } from "../support/push-image.js";
import { rawTar, type RawEntry } from "../support/tar.js";
import { failed, Fixture, listing, type Told } from "./content-fixture.js";

let world: Fixture;
const text = (files: FileSystem, path: string): string => new TextDecoder().decode(files.read(path));
const bytes = (content: string): Uint8Array => new TextEncoder().encode(content);

beforeEach(() => {
  world = new Fixture();
});

afterEach(() => world.time.close());

describe("a layer from a registry", () => {
  test("goes through its phases, and is there when it is whole", async () => {
    const [layer] = await world.pulled("library/alpine", "latest");
    const told: Told[] = [];
    const outcome = await world.perform({ tag: "layer", val: layer! }, told);
    expect([...new Set(told.map(({ phase }) => phase))]).toEqual([
      "downloading",
      "verifying",
      "downloaded",
      "extracting",
    ]);
    const { total } = told[0]!;
    expect(
      told.filter(({ phase, current }) => phase === "downloading" && current > 0 && current < total).length,
    ).toBeGreaterThan(10);
    expect(told.at(-1)).toEqual({ phase: "extracting", current: total, total });
    expect(outcome).toMatchObject({ tag: "size" });
    expect(world.content.chains()).toEqual([layer!.chain]);
    const { files } = await world.mount(layer!.chain);
    expect(text(files, "/etc/alpine-release")).toBe("3.20.6\n");
    expect(files.linkStatus("/bin/sh")).toMatchObject({ kind: "symlink", target: "/bin/busybox" });
  });

  test("is fetched once for all who ask, and not again while it is there", async () => {
    const [layer] = await world.pulled("library/hello-world", "latest");
    const before = world.network.requests.length;
    const told: Told[][] = [[], []];
    const ask = (place: number) => world.perform({ tag: "layer", val: layer! }, told[place]);
    const [one, other] = await Promise.all([ask(0), ask(1)]);
    expect(one).toEqual(other);
    expect(told[1]).toEqual(told[0]);
    expect(await ask(0)).toEqual(one);
    expect(world.network.requests.length - before).toBe(1);
  });

  test("needs nothing below it but for a link to what is there", async () => {
    const [base, extras] = await world.pulled("library/debian", "12");
    await world.perform({ tag: "layer", val: extras! });
    expect(await failed(world.mount(extras!.chain))).toMatchObject({ kind: "not-found" });
    await world.perform({ tag: "layer", val: base! });
    const { files } = await world.mount(extras!.chain);
    expect([files.resolve("/bin/sh"), files.list("/usr/share/zoneinfo")]).toEqual(["/usr/bin/dash", ["tzdata.zi"]]);
  });

  test.each<[string, (world: Fixture, layer: content.Layer) => void, Partial<types.Failure>]>([
    [
      "whose bytes are others",
      ({ faults }) => void faults.inject({ kind: "registry-corrupt" }, 1),
      { kind: "corrupt", message: expect.stringContaining("filesystem layer verification failed for digest sha256:") },
    ],
    [
      "that is cut off",
      ({ faults }) => void faults.inject({ kind: "registry-cut", afterBytes: 5000 }, 1),
      { kind: "corrupt", message: "unexpected EOF" },
    ],
    [
      "whose tar is another",
      (_, layer) => void (layer.diffId = digestOf(bytes("other"))),
      { kind: "corrupt", message: "layers from manifest don't match image configuration" },
    ],
    [
      "for which there is no room",
      ({ faults }) => void faults.inject({ kind: "disk-full" }, 1),
      { kind: "exhausted", message: expect.stringMatching(/^write \/blobs\/sha256:.*: no space left on device$/) },
    ],
  ])("%s leaves nothing, and can be had afterwards", async (_, spoil, expected) => {
    const [layer] = await world.pulled("library/alpine", "latest");
    const spoilt = { ...layer! };
    spoil(world, spoilt);
    const before = world.disk.room.used;
    expect(await failed(world.perform({ tag: "layer", val: spoilt }))).toMatchObject(expected);
    expect([world.content.chains(), world.disk.room.used]).toEqual([[], before]);
    await world.perform({ tag: "layer", val: layer! });
    expect(world.content.chains()).toEqual([layer!.chain]);
  });

  test("is given up on request, unless somebody else wants it", async () => {
    const [layer] = await world.pulled("library/alpine", "latest");
    const one = world.perform({ tag: "layer", val: layer! }, [], 1001n);
    const other = world.perform({ tag: "layer", val: layer! }, [], 1002n);
    await world.perform({ tag: "abandon", val: 1001n });
    expect(await failed(one)).toMatchObject({ kind: "interrupted", message: "context canceled" });
    const third = world.perform({ tag: "layer", val: layer! }, [], 1003n);
    await world.perform({ tag: "abandon", val: 1002n });
    await failed(other);
    await third;
    await world.perform({ tag: "drop-chain", val: layer!.chain });
    const last = world.perform({ tag: "layer", val: layer! }, [], 1004n);
    await world.perform({ tag: "abandon", val: 1004n });
    expect((await failed(last)).kind).toBe("interrupted");
    expect(world.content.chains()).toEqual([]);
  });

  test("gives its room back when it is dropped, unless another came from the same blob", async () => {
    const before = world.disk.room.used;
    const layers = await world.pulled("library/nginx", "latest");
    for (const layer of layers) await world.perform({ tag: "layer", val: layer });
    for (const { chain } of layers.reverse()) await world.perform({ tag: "drop-chain", val: chain });
    expect([world.content.chains(), world.disk.room.used]).toEqual([[], before]);
  });
});

describe("a layer's tar", () => {
  test("whiteouts hide what is below and nothing of the layer's own", async () => {
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

  test("hard links lead to files of the layer and of those below", async () => {
    const base = await world.layer(rawTar([dir("d"), file("d/a", "below")]));
    const top = await world.layer(
      rawTar([file("one", "x"), link("two", "one"), link("three", "d/a"), link("four", "/d/a")]),
      base,
    );
    const { files } = await world.mount(top);
    expect([files.status("/one").links, files.status("/d/a").links]).toEqual([2, 3]);
    expect([text(files, "/two"), text(files, "/four")]).toEqual(["x", "below"]);
    expect(await failed(world.layer(rawTar([link("a", "none")]), base))).toMatchObject({
      kind: "invalid",
      message: 'hard link "a" to "none", which does not exist',
    });
  });

  test("directories of which it does not tell stay as they are below", async () => {
    const base = await world.layer(rawTar([{ ...dir("d"), mode: 0o700, uid: 5 }]));
    const top = await world.layer(rawTar([file("d/a", "x"), { ...file("e/b", "y"), mode: 0o4755, gid: 9 }]), base);
    const { files } = await world.mount(top);
    expect(files.status("/d")).toMatchObject({ mode: 0o700, uid: 5 });
    expect(files.status("/e/b")).toMatchObject({ mode: 0o4755, gid: 9 });
  });

  const up = "../".repeat(20);
  test.each<[string, RawEntry[]]>([
    ["a name that climbs out", [file(`${up}evil`, "x")]],
    ["a name that climbs out on its way", [file("a/../../evil", "x")]],
    ["a pax path that climbs out", [{ name: "short", pax: { path: `${up}evil` }, body: "x" }]],
    ["an entry through a link that climbs out", [symlink("out", up), file("out/evil", "x")]],
    ["a hard link that climbs out", [link("stolen", `${up}etc/passwd`)]],
    ["a hard link through a link that climbs out", [symlink("out", up), link("stolen", "out/etc/passwd")]],
    ["a hard link to the root", [link("stolen", "./")]],
    ["a hard link to a directory", [dir("dir"), link("stolen", "dir")]],
    ["an entry below a file", [file("file", "x"), file("file/evil", "x")]],
    ["an entry through a loop", [symlink("a", "b"), symlink("b", "a"), file("a/evil", "x")]],
    ["a whiteout that climbs out", [file("../.wh.outside", "")]],
    ["a whiteout of the directory itself", [file("a/.wh..", "")]],
    ["a whiteout of nothing", [file("a/.wh.", "")]],
    ["a sparse file", [{ name: "holes", flag: "S", magic: "ustar  " }]],
    ["an unknown type", [{ name: "what", flag: "Z" }]],
  ])("is refused for %s", async (_, entries) => {
    const base = await world.layer(rawTar([dir("base")]));
    const used = world.disk.room.used;
    const failure = await failed(world.layer(rawTar(entries), base));
    expect(["invalid", "unsupported", "not-found"]).toContain(failure.kind);
    expect(world.content.chains()).toEqual([base]);
    expect(world.disk.room.used).toBeGreaterThanOrEqual(used);
  });

  test.each<[string, (tar: Buffer) => Uint8Array, string]>([
    ["is cut off", (tar) => tar.subarray(0, 700), "unexpected EOF"],
    ["is cut off within gzip", (tar) => gzipSync(tar).subarray(0, 60), "unexpected EOF"],
    ["is no tar", () => Buffer.alloc(512, "x"), "archive/tar: invalid tar header"],
  ])("that %s is refused", async (_, spoil, message) => {
    const tar = spoil(rawTar([file("a", "x".repeat(2000))]));
    expect(await failed(world.layer(tar))).toMatchObject({ kind: "corrupt", message });
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
  test("is taken in, read, and forgotten", async () => {
    const before = world.disk.room.used;
    const tar = rawTar([
      dir("./d"),
      file("./d/f", "x"),
      symlink("s", "d/f"),
      link("h", "d/f"),
      file("b", "yy"),
      symlink("to-dir", "d"),
    ]);
    const files = await world.ingest("a", gzipSync(tar));
    expect(files.map(({ path, size }) => `${path} ${size}`)).toEqual(["b 2", "d/f 1", "h 1", "s 1"]);
    const read = (path: string) => world.perform({ tag: "read", val: { archive: "a", path } });
    expect(await read("s")).toEqual({ tag: "bytes", val: bytes("x") });
    expect(await failed(read("none"))).toMatchObject({ kind: "not-found", message: '"none" does not exist' });
    expect(await failed(read("d"))).toMatchObject({ kind: "invalid", message: '"d" is not a file' });
    expect(await failed(world.ingest("a", tar))).toMatchObject({ kind: "exists" });
    await world.perform({ tag: "drop-archive", val: "a" });
    expect(await failed(read("s"))).toMatchObject({ kind: "not-found", message: "archive a does not exist" });
    expect(world.disk.room.used).toBe(before);
  });

  test.each<[string, Uint8Array, Partial<types.Failure>]>([
    ["that is cut off", rawTar([file("a", "xyz")]).subarray(0, 514), { kind: "corrupt", message: "unexpected EOF" }],
    ["that climbs out", rawTar([file("../a", "xyz")]), { kind: "invalid" }],
    ["of bzip2", bytes("BZh91AY&SY"), { kind: "unsupported", message: "bzip2 compression is not supported" }],
  ])("%s is refused", async (_, tar, expected) => {
    const before = world.disk.room.used;
    expect(await failed(world.ingest("a", tar))).toMatchObject(expected);
    expect(world.disk.room.used).toBe(before);
  });

  test("whose client goes away, or that is given up, is interrupted", async () => {
    async function* gone(): AsyncGenerator<Uint8Array> {
      yield rawTar([file("a", "xyz")]).subarray(0, 100);
      throw new Error("socket closed");
    }
    expect(await failed(world.ingest("a", gone()))).toMatchObject({ kind: "interrupted", message: "client went away" });
    async function* silent(): AsyncGenerator<Uint8Array> {
      await new Promise(() => {});
      yield bytes("");
    }
    const taking = world.ingest("a", silent());
    await world.content.restart();
    expect(await failed(taking)).toMatchObject({ kind: "interrupted", message: "context canceled" });
  });
});

describe("a container's changes", () => {
  test("are measured, and committed as a layer that brings them back", async () => {
    const base = await world.layer(
      rawTar([dir("d"), file("d/a", "1"), file("d/b", "2"), dir("e"), file("e/a", "3"), file("gone", "4")]),
    );
    const { id, files } = await world.mount(base);
    files.write("/d/a", bytes("changed"));
    files.remove("/gone");
    files.remove("/e/a");
    files.removeDirectory("/e");
    files.makeDirectory("/e", 0o711);
    files.write("/e/new", bytes("new"), 0o600);
    files.link("/e/new", "/other");
    files.symlink("d/a", "/s");
    files.changeMode("/d/b", 0o755);
    expect(await world.perform({ tag: "measure", val: id })).toEqual({ tag: "size", val: 7n + 3n + 3n + 1n });
    const { files: again, names } = await committed(id, base);
    expect(names).toEqual(["d/", "d/a", "d/b", "e/", "e/.wh..wh..opq", "e/new", ".wh.gone", "other", "s"]);
    expect(listing(again)).toEqual(listing(files));
  });

  test("are none when there are none", async () => {
    const { id } = await world.mount(await world.layer(rawTar([dir("d")])));
    const outcome = await world.perform({ tag: "commit", val: { archive: "c", container: id } });
    expect(outcome).toMatchObject({ tag: "committed", val: { empty: true, size: 0n } });
  });

  test("give the same layer whenever they are the same", async () => {
    const make = async (): Promise<string> => {
      const one = new Fixture();
      const { files, id } = await one.mount(await one.layer(rawTar([dir("d"), file("d/a", "1")])));
      files.remove("/d/a");
      files.write("/b", bytes("b"));
      for (const path of ["/b", "/d"]) files.touch(path, 5n);
      const outcome = await one.perform({ tag: "commit", val: { archive: "c", container: id } });
      one.time.close();
      return outcome.tag === "committed" ? outcome.val.diffId : "";
    };
    expect(await make()).toBe(await make());
  });

  test("whatever they are, applied again they give the same files", async () => {
    for (let seed = 1; seed <= 60; seed++) {
      const random = numbers(seed);
      const base = await world.layer(randomTar(random));
      const top = await world.layer(randomTar(random), base);
      const { id, files } = await world.mount(top);
      for (let step = 0; step < 40; step++) randomChange(files, random);
      const { files: again } = await committed(id, top, `seed-${seed}`);
      expect(listing(again), `seed ${seed}`).toEqual(listing(files));
    }
  });

  test("go with the container", async () => {
    const before = world.disk.room.used;
    const { id, files } = await world.mount();
    files.write("/f", new Uint8Array(1000));
    expect([world.content.mounts(), world.content.containers()]).toEqual([[id], [id]]);
    await world.perform({ tag: "unmount", val: id });
    expect([world.content.mounts(), world.content.containers()]).toEqual([[], [id]]);
    await world.perform({ tag: "drop-container", val: id });
    expect([world.content.containers(), world.disk.room.used]).toEqual([[], before]);
  });
});

/** Commits, unpacks what came of it on the same chain, and mounts that. */
async function committed(
  container: string,
  chain: string,
  archive = "c",
): Promise<{ files: FileSystem; names: string[] }> {
  const outcome = await world.perform({ tag: "commit", val: { archive, container } });
  if (outcome.tag !== "committed") throw new Error("not committed");
  const tar = await world.perform({ tag: "read", val: { archive, path: "layer.tar" } });
  const again = await world.unpack(archive, outcome.val.diffId, chain);
  const { files } = await world.mount(again);
  return { files, names: tar.tag === "bytes" ? namesIn(tar.val) : [] };
}

/** Names in a tar of small files. */
function namesIn(tar: Uint8Array): string[] {
  const names: string[] = [];
  for (let at = 0; tar[at];) {
    const field = (from: number, length: number): string =>
      Buffer.from(tar.subarray(at + from, at + from + length))
        .toString("latin1")
        .replace(/\0.*/s, "");
    const isExtension = field(156, 1) === "x";
    if (!isExtension) names.push(field(0, 100));
    at += 512 + Math.ceil(Number.parseInt(field(124, 12), 8) / 512) * 512;
  }
  return names;
}

function file(name: string, body: string): RawEntry {
  return { name, body };
}

function dir(name: string): RawEntry {
  return { name: `${name}/`, flag: "5", mode: 0o755 };
}

function symlink(name: string, target: string): RawEntry {
  return { name, flag: "2", target };
}

function link(name: string, target: string): RawEntry {
  return { name, flag: "1", target };
}

/** A frame of raw blocks (RFC 8878 §3.1.1). */
function zstdStored(bytes: Buffer): Buffer {
  const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58]);
  const block = Buffer.alloc(3);
  block.writeUIntLE((bytes.length << 3) | 1, 0, 3);
  return Buffer.concat([header, block, bytes]);
}

/** Numbers from 0 up to a bound, from a seed. */
function numbers(seed: number): (bound: number) => number {
  let state = seed * 2654435761;
  return (bound) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

function removeAll(files: FileSystem, path: string): void {
  if (files.linkStatus(path).kind !== "directory") return files.remove(path);
  for (const name of files.list(path)) removeAll(files, `${path}/${name}`);
  files.removeDirectory(path);
}

const NAMES = ["a", "b", "c", "é"];

function randomPath(random: (bound: number) => number): string {
  return Array.from({ length: 1 + random(3) }, () => NAMES[random(NAMES.length)]).join("/");
}

/** Directories, files and whiteouts that do not contradict each other: parents are directories. */
function randomTar(random: (bound: number) => number): Buffer {
  const files = new Map<string, RawEntry>();
  for (let count = 0; count < 8; count++) {
    const path = randomPath(random);
    const parts = path.split("/");
    const parents = parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join("/"));
    if (parents.some((parent) => files.has(parent) && files.get(parent)?.flag !== "5") || files.has(path)) continue;
    for (const parent of parents) files.set(parent, dir(latin1(parent)));
    const name = latin1(path);
    const made = [file(name, `${count}`), dir(name), symlink(name, "a"), file(name.replace(/[^/]*$/, ".wh.$&"), "")];
    files.set(path, made[random(made.length)]!);
  }
  return rawTar([...files.values()]);
}

function latin1(name: string): string {
  return Buffer.from(name).toString("latin1");
}

/** One thing that a process may do; what is refused is not done. */
function randomChange(files: FileSystem, random: (bound: number) => number): void {
  const [path, other] = [`/${randomPath(random)}`, `/${randomPath(random)}`];
  const changes = [
    () => files.write(path, bytes(`${random(1000)}`)),
    () => files.append(path, bytes("+")),
    () => files.makeDirectory(path),
    () => files.remove(path),
    () => files.removeDirectory(path),
    () => files.rename(path, other),
    () => files.link(path, other),
    () => files.symlink(other, path),
    () => files.changeMode(path, 0o600 + random(0o100)),
    () => removeAll(files, path),
    () => (removeAll(files, path), files.makeDirectory(path)),
  ];
  try {
    changes[random(changes.length)]!();
  } catch (error) {
    if ((error as { code?: string }).code === undefined) throw error;
  }
}
