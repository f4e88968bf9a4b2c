// Layers, and how they appear in a container, with real overlay mounts. Needs root.

import { lstatSync, readdirSync, readFileSync, readlinkSync, writeFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { libc } from "../../../runtime-linux/kernel/libc.js";
import { tarOf } from "../../support/archives/images.js";
import { ROOMY, rawEntry, rawTar, zstdStored, type RawEntry } from "../../support/archives/tar.js";
import { findProgram, run } from "../../support/commands.js";
import { describeUnless } from "../../support/on-engines.js";
import { digestOf } from "../../support/registry/push-image.js";
import { chainOf, failed, missing, openFixture, tree, type Fixture } from "./content-fixture.js";

const it = (title: string, body: () => void): void => describeUnless(missing, title, body);
let fixture: Fixture;
beforeEach(() => {
  fixture = openFixture();
});
afterEach(() => fixture.close());

it("entries", () => {
  /** Attributes of a file by its first name. */
  const FIRST = { mode: 0o4755, uid: 1000, gid: 50, mtime: 1_600_000_000 };

  test("keep modes, owners, times to the nanosecond, and extended attributes byte for byte", async () => {
    // cap_setuid is bit 7: a byte that is not valid UTF-8 (capabilities(7), vfs_cap_data).
    const capability = Buffer.from("0100000280000000000000000000000000000000", "hex").toString("latin1");
    // Each name of a file has all attributes.
    const own = {
      ...{ mode: 0o4755, uid: 1000, gid: 50 },
      pax: {
        mtime: "1600000001.123456789",
        "SCHILY.xattr.security.capability": capability,
        "SCHILY.xattr.user.note": "hi",
      },
    };
    const chain = await fixture.layer(
      rawTar([
        { name: "dir/", flag: "5", mode: 0o1777, uid: 3, gid: 4, mtime: 1_600_000_000 },
        { name: "dir/su", body: "x", ...own },
        { name: "dir/old", body: "x", pax: { mtime: "-1.5" } },
        { name: "dir/link", flag: "2", target: "su", uid: 5, gid: 6, mtime: 1_600_000_002 },
        { name: "dir/pipe", flag: "6", mode: 0o620, uid: 8 },
        { name: "dir/null", flag: "3", mode: 0o666, major: 1, minor: 3 },
        { name: "dir/disk", flag: "4", mode: 0o640, major: 300, minor: 70_000 },
        { name: "dir/same", flag: "1", target: "dir/su", ...own },
      ]),
    );
    const at = (name: string) => lstatSync(join(fixture.diff(chain), name), { bigint: true });
    expect(at("dir")).toMatchObject({ mode: 0o41777n, uid: 3n, gid: 4n, mtimeNs: 1_600_000_000_000_000_000n });
    expect(at("dir/su")).toMatchObject({ mode: 0o104755n, uid: 1000n, gid: 50n, mtimeNs: 1_600_000_001_123_456_789n });
    expect(at("dir/old").mtimeNs).toBe(-1_500_000_000n);
    expect(at("dir/link")).toMatchObject({ uid: 5n, gid: 6n, mtimeNs: 1_600_000_002_000_000_000n });
    expect(readlinkSync(join(fixture.diff(chain), "dir/link"))).toBe("su");
    expect(at("dir/pipe")).toMatchObject({ mode: 0o10620n, uid: 8n });
    expect(at("dir/null")).toMatchObject({ mode: 0o20666n, rdev: 0x103n });
    expect(at("dir/disk").mode).toBe(0o60640n);
    expect(at("dir/disk").rdev).toBe((70_000n & 0xffn) | (300n << 8n) | ((70_000n & ~0xffn) << 12n));
    expect(at("dir/same").ino).toBe(at("dir/su").ino);
    const attribute = libc.lgetxattr(join(fixture.diff(chain), "dir/su"), "security.capability");
    expect(Buffer.from(attribute ?? []).toString("latin1")).toBe(capability);
    expect(Buffer.from(libc.lgetxattr(join(fixture.diff(chain), "dir/su"), "user.note") ?? []).toString()).toBe("hi");
  });

  test.each<[string, Partial<typeof FIRST>]>([
    ["the same", {}],
    ["another mode", { mode: 0o640 }],
    ["another owner, which clears bits of the mode", { uid: 7 }],
    ["another group", { gid: 8 }],
    ["another time", { mtime: 1_600_000_009 }],
  ])("with several names have what the last one says: %s", async (_what, other) => {
    const last = { ...FIRST, ...other };
    const chain = await fixture.layer(
      rawTar([
        { name: "first", body: "x", ...FIRST },
        { name: "last", flag: "1", target: "first", ...last },
      ]),
    );
    const { mode, uid, gid, mtime } = last;
    const found = lstatSync(join(fixture.diff(chain), "first"));
    expect(found).toMatchObject({ mode: 0o100000 | mode, uid, gid, mtimeMs: mtime * 1000, nlink: 2 });
  });

  test("may have any name that a file can have", async () => {
    const long = `${"d".repeat(200)}/${"f".repeat(250)}`;
    const umlaut = Buffer.from("ä/ö").toString("latin1");
    const chain = await fixture.layer(
      rawTar([
        { name: "short", longName: long, body: "gnu", magic: "ustar  \0" },
        { name: "x", pax: { path: umlaut }, body: "pax" },
        { name: "raw-\xff", body: "bytes" },
        { name: "./a//b/../c", body: "clean" },
        { name: "v7dir/", magic: "", body: "" },
      ]),
    );
    expect(readFileSync(join(fixture.diff(chain), long), "utf8")).toBe("gnu");
    expect(readFileSync(join(fixture.diff(chain), "ä/ö"), "utf8")).toBe("pax");
    const raw = Buffer.concat([Buffer.from(`${fixture.diff(chain)}/raw-`), Buffer.from([0xff])]);
    expect(readFileSync(raw, "utf8")).toBe("bytes");
    expect(readFileSync(join(fixture.diff(chain), "a/c"), "utf8")).toBe("clean");
    expect(lstatSync(join(fixture.diff(chain), "v7dir")).isDirectory()).toBe(true);
  });

  test("replace earlier entries of the same name, but a directory keeps its content", async () => {
    const chain = await fixture.layer(
      rawTar([
        { name: "d/", flag: "5", mode: 0o700 },
        { name: "d/kept", body: "kept" },
        { name: "d/", flag: "5", mode: 0o750 },
        { name: "f", body: "long enough" },
        { name: "f", body: "short" },
        { name: "was-dir/in", body: "x" },
        { name: "was-dir", body: "file" },
        { name: "was-file", body: "x" },
        { name: "was-file/", flag: "5" },
      ]),
    );
    expect(lstatSync(join(fixture.diff(chain), "d")).mode & 0o777).toBe(0o750);
    expect(readFileSync(join(fixture.diff(chain), "d/kept"), "utf8")).toBe("kept");
    expect(readFileSync(join(fixture.diff(chain), "f"), "utf8")).toBe("short");
    expect(readFileSync(join(fixture.diff(chain), "was-dir"), "utf8")).toBe("file");
    expect(lstatSync(join(fixture.diff(chain), "was-file")).isDirectory()).toBe(true);
  });

  test("missing parents belong to root, with 0755, for any umask", async () => {
    const before = process.umask(0o077);
    try {
      const chain = await fixture.layer(rawTar([{ name: "a/b/c", body: "x" }]));
      expect(lstatSync(join(fixture.diff(chain), "a")).mode & 0o777).toBe(0o755);
      expect(lstatSync(fixture.diff(chain)).mode & 0o777).toBe(0o755);
    } finally {
      process.umask(before);
    }
  });
});

it("whiteouts", () => {
  test("hide lower files and directories, and nothing else", async () => {
    const [, chain] = await fixture.stack(
      rawTar([
        { name: "gone", body: "x" },
        { name: "kept", body: "x" },
        { name: "dir/in", body: "x" },
        { name: "other/in", body: "x" },
      ]),
      rawTar([{ name: ".wh.gone" }, { name: ".wh.dir" }, { name: "other/.wh..wh.plnk", body: "skipped" }]),
    );
    const { rootfs } = await fixture.mount(chain);
    expect(shown(rootfs)).toEqual(["kept", "other"]);
    expect(readdirSync(join(rootfs, "other"))).toEqual(["in"]);
  });

  test("an opaque directory shows only what its own layer has, before or after the mark", async () => {
    const [, chain] = await fixture.stack(
      rawTar([
        { name: "d/old", body: "x" },
        { name: "d/sub/old", body: "x" },
      ]),
      rawTar([{ name: "d/before", body: "x" }, { name: "d/.wh..wh..opq" }, { name: "d/after", body: "x" }]),
    );
    const { rootfs } = await fixture.mount(chain);
    expect(readdirSync(join(rootfs, "d")).sort()).toEqual(["after", "before"]);
  });

  test.each<[string, RawEntry[]]>([
    ["before", [{ name: ".wh.d" }, { name: "d/new", body: "n" }, { name: ".wh.f" }, { name: "f", body: "new" }]],
    ["after", [{ name: "d/new", body: "n" }, { name: ".wh.d" }, { name: "f", body: "new" }, { name: ".wh.f" }]],
    [
      "before, with its entry",
      [
        { name: ".wh.d" },
        { name: "d/", flag: "5" },
        { name: "d/new", body: "n" },
        { name: ".wh.f" },
        { name: "f", body: "new" },
      ],
    ],
  ])("a whiteout %s an entry of the same name in the same layer leaves the entry", async (_, entries) => {
    const [, chain] = await fixture.stack(
      rawTar([
        { name: "d/old", body: "x" },
        { name: "f", body: "old" },
      ]),
      rawTar(entries),
    );
    const { rootfs } = await fixture.mount(chain);
    expect(readdirSync(join(rootfs, "d"))).toEqual(["new"]);
    expect(readFileSync(join(rootfs, "f"), "utf8")).toBe("new");
  });

  test("in the lowest layer hide nothing, and are not shown", async () => {
    const chain = await fixture.layer(rawTar([{ name: "d/.wh.nothing" }, { name: "d/file", body: "x" }]));
    expect(tree(fixture.diff(chain))).toEqual(["d", "d/file"]);
  });
});

it("a hard link to a file of a lower layer", () => {
  test("copies it up to its path, with the link's attributes", async () => {
    const [, , chain] = await fixture.stack(
      rawTar([
        { name: "d/", flag: "5", mode: 0o711 },
        { name: "d/file", body: "lower", uid: 9, mode: 0o640, mtime: 1_500_000_000 },
      ]),
      rawTar([{ name: "between", body: "x" }]),
      rawTar([{ name: "new", flag: "1", target: "d/file", uid: 7, gid: 8, mode: 0o604, mtime: 1_600_000_000 }]),
    );
    const { rootfs } = await fixture.mount(chain);
    expect(readFileSync(join(rootfs, "new"), "utf8")).toBe("lower");
    const stat = lstatSync(join(rootfs, "new"));
    expect(stat).toMatchObject({ uid: 7, gid: 8, nlink: 2, mtimeMs: 1_600_000_000_000 });
    expect(stat.mode & 0o7777).toBe(0o604);
    expect(stat.ino).toBe(lstatSync(join(rootfs, "d/file")).ino);
    expect(lstatSync(join(rootfs, "d")).mode & 0o777).toBe(0o711);
  });

  test("replaces the file when the same layer hides it", async () => {
    const [, chain] = await fixture.stack(
      rawTar([{ name: "file", body: "lower" }]),
      rawTar([{ name: ".wh.file" }, { name: "new", flag: "1", target: "file" }]),
    );
    const { rootfs } = await fixture.mount(chain);
    expect(shown(rootfs)).toEqual(["new"]);
    expect(readFileSync(join(rootfs, "new"), "utf8")).toBe("lower");
  });

  test("is refused when that file is hidden", async () => {
    const [, parent] = await fixture.stack(rawTar([{ name: "file", body: "x" }]), rawTar([{ name: ".wh.file" }]));
    const failure = await failed(fixture.layer(rawTar([{ name: "new", flag: "1", target: "file" }]), parent));
    expect(failure).toEqual({ tag: "faulty-name", val: { what: "hard-link-to-nothing", name: "new", other: "file" } });
  });
});

it("a tar", () => {
  test("may be plain, gzip or zstd, regardless of its declared type", async () => {
    const tar = rawTar([{ name: "file", body: "x".repeat(300_000) }]);
    const compressed: Uint8Array[] = [tar, gzipSync(tar), zstdStored(tar)];
    const zstd = findProgram("zstd");
    if (zstd === null) console.log("skipped: a tar compressed by zstd itself: zstd is not installed");
    else
      compressed.push(
        await compress([zstd, "-c", "-q"], tar),
        await compress([zstd, "-c", "-q", "-19", "--long=24"], tar),
      );
    for (const [index, bytes] of compressed.entries()) {
      const archive = `a${index}`;
      await fixture.ingest(archive, await tarOf([{ name: "blob", body: bytes }]));
      // Each on a different chain, because otherwise it would not be unpacked again.
      const parent = await fixture.layer(rawTar([{ name: String(index), body: "" }]));
      const diffId = digestOf(tar);
      const chain = chainOf(diffId, parent);
      const source = { tag: "archived" as const, val: { archive, path: "blob" } };
      const outcome = await fixture.perform({
        tag: "layer",
        val: { chain, parent, diffId, source, limits: ROOMY, anew: false, unflushed: false },
      });
      expect(outcome).toEqual({ tag: "size", val: 300_000n });
    }
  });

  test.each<[string, () => Buffer, string]>([
    ["cut in a body", () => rawTar([{ name: "f", body: "x".repeat(5000) }]).subarray(0, 2000), "cut"],
    ["cut in a header", () => rawEntry({ name: "f" }).subarray(0, 300), "cut"],
    ["cut in gzip", () => gzipSync(rawTar([{ name: "f", body: "x" }])).subarray(0, 40), "cut"],
    ["of junk", () => Buffer.alloc(2048, "junk"), "tar-header"],
    ["with a wrong sum", () => broken(148), "tar-header"],
    ["with an invalid size", () => Buffer.concat([rawEntry({ name: "f", pax: { size: "many" } })]), "tar-header"],
    ["with broken pax records", () => rawTar([{ name: "p", flag: "x", body: "99 path=x\n" }]), "tar-header"],
    ["in bzip2, cut off", () => Buffer.from("BZh91AY&SY"), "cut"],
  ])("%s is refused", async (_, tar, what) => {
    expect(await failed(fixture.layer(tar()))).toEqual({ tag: "damaged", val: { what, said: "" } });
    expect(fixture.content.chains()).toEqual([]);
    expect(tree(fixture.paths.layers("tmp"))).toEqual([]);
  });

  test("with a wrong digest leaves nothing", async () => {
    await fixture.ingest("a", await tarOf([{ name: "layer.tar", body: rawTar([{ name: "f", body: "x" }]) }]));
    const diffId = digestOf(Buffer.from("another"));
    const source = { tag: "archived" as const, val: { archive: "a", path: "layer.tar" } };
    const val = { chain: diffId, diffId, source, limits: ROOMY, anew: false, unflushed: false };
    const failure = await failed(fixture.perform({ tag: "layer", val }));
    expect(failure).toMatchObject({ tag: "mismatch", val: { what: "diff-id", wanted: diffId } });
    expect(tree(fixture.paths.layers("tmp"))).toEqual([]);
  });

  test("without its end marks, or with junk after them, is complete", async () => {
    const chain = await fixture.layer(rawEntry({ name: "f", body: "x" }));
    expect(tree(fixture.diff(chain))).toEqual(["f"]);
    const more = await fixture.layer(Buffer.concat([rawTar([{ name: "g", body: "x" }]), Buffer.alloc(3000, "junk")]));
    expect(tree(fixture.diff(more))).toEqual(["g"]);
  });
});

it("a file system", () => {
  test("is made of 125 layers, mounts twice as once, and unmounts twice as once", async () => {
    const chains = await fixture.stack(
      ...Array.from({ length: 125 }, (_, n) => rawTar([{ name: `f${n}`, body: String(n) }])),
    );
    const { id, rootfs } = await fixture.mount(chains.at(-1));
    expect(shown(rootfs)).toHaveLength(125);
    const chain = chains.at(-1)!;
    await fixture.perform({ tag: "mount", val: { container: id, chain, bare: false } });
    expect(fixture.content.mounts()).toEqual([id]);
    writeFileSync(join(rootfs, "written"), "12345");
    expect(await fixture.perform({ tag: "measure", val: id })).toEqual({ tag: "size", val: 5n });
    for (const _ of [1, 2]) await fixture.perform({ tag: "unmount", val: id });
    expect(fixture.content.mounts()).toEqual([]);
    await fixture.perform({ tag: "mount", val: { container: id, chain, bare: false } });
    expect(readFileSync(join(rootfs, "written"), "utf8")).toBe("12345");
    for (const _ of [1, 2]) await fixture.perform({ tag: "drop-container", val: id });
    expect(fixture.content.containers()).toEqual([]);
    expect(readdirSync(fixture.paths.live())).toEqual([]);
  });

  test("without layers is empty except for the runtime's mount points, which do not count as changes", async () => {
    const { id, rootfs } = await fixture.mount();
    expect(readdirSync(rootfs).sort()).toEqual([".dockerenv", "dev", "etc", "proc", "sys"]);
    expect(readdirSync(join(rootfs, "etc")).sort()).toEqual(["hostname", "hosts", "mtab", "resolv.conf"]);
    expect(readdirSync(fixture.paths.upper(id))).toEqual([]);
    expect(await fixture.perform({ tag: "measure", val: id })).toEqual({ tag: "size", val: 0n });
  });

  test("keeps an image's files at those mount points", async () => {
    const chain = await fixture.layer(
      rawTar([
        { name: "etc/", flag: "5", mode: 0o711, uid: 5 },
        { name: "etc/hosts", body: "mine" },
        { name: "etc/mtab", flag: "2", target: "elsewhere" },
      ]),
    );
    const { rootfs } = await fixture.mount(chain);
    expect(readFileSync(join(rootfs, "etc/hosts"), "utf8")).toBe("mine");
    expect(readlinkSync(join(rootfs, "etc/mtab"))).toBe("elsewhere");
    expect(lstatSync(join(rootfs, "etc"))).toMatchObject({ uid: 5, mode: 0o40711 });
    expect(existsSync(join(rootfs, "etc/hostname"))).toBe(true);
  });

  test("makes directories at the mount points of kernel file systems, whatever an image has there", async () => {
    const chain = await fixture.layer(
      rawTar([
        { name: "dev", flag: "2", target: "/nowhere" },
        { name: "proc", body: "a file" },
      ]),
    );
    const { rootfs } = await fixture.mount(chain);
    for (const name of ["dev", "proc", "sys"]) expect(lstatSync(join(rootfs, name)).isDirectory()).toBe(true);
  });

  test("of a missing chain is not found", async () => {
    const chain = digestOf(Buffer.from("none"));
    const container = "ab".repeat(32);
    expect((await failed(fixture.perform({ tag: "mount", val: { container, chain, bare: false } }))).tag).toBe(
      "no-such",
    );
    const path = "../../etc";
    expect((await failed(fixture.perform({ tag: "drop-container", val: path }))).tag).toBe("malformed");
    expect((await failed(fixture.perform({ tag: "drop-archive", val: path }))).tag).toBe("malformed");
  });
});

/** Names in a container's root, without those that every container has. */
function shown(rootfs: string): string[] {
  const everywhere = [".dockerenv", "dev", "etc", "proc", "sys"];
  return readdirSync(rootfs)
    .filter((name) => !everywhere.includes(name))
    .sort();
}

function broken(at: number): Buffer {
  const tar = rawTar([{ name: "f", body: "x" }]);
  tar[at] = tar[at]! ^ 1;
  return tar;
}

/** Pipes bytes through a program; its output as text would lose some. */
async function compress(command: string[], bytes: Uint8Array): Promise<Buffer> {
  const { stdout } = await run(["sh", "-c", `"$@" | od -An -v -tx1`, "sh", ...command], { input: bytes });
  return Buffer.from(stdout.replace(/\s+/g, ""), "hex");
}
