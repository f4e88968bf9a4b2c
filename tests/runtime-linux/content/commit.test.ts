// A container's changes committed as a layer, unpacked again and inspected. Needs root.

import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openMember } from "../../../runtime-linux/content/files/pack.js";
import { LinkNames } from "../../../runtime-linux/content/files/tar-entry.js";
import { libc } from "../../../runtime-linux/kernel/libc.js";
import { must } from "../../support/commands.js";
import { digestOf } from "../../support/registry/push-image.js";
import { ROOMY, rawTar } from "../../support/archives/tar.js";
import { chainOf, failed, missing, openFixture, type Fixture } from "./content-fixture.js";
import type { engine } from "../../../hosts/shared/host.js";
import { describeUnless } from "../../support/on-engines.js";

const EMPTY_TAR = "sha256:5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef";
let fixture: Fixture;
beforeEach(() => {
  fixture = openFixture();
});
afterEach(() => fixture.close());

describeUnless(missing, "a commit", () => {
  test("of an unchanged container is the empty tar", async () => {
    const { id } = await fixture.mount();
    expect(await commit(id, "a")).toEqual({ diffId: EMPTY_TAR, size: 0n, empty: true });
  });

  test("hides nothing in what it is put on, if nothing was below it", async () => {
    const marked = async (chain?: string): Promise<boolean> => {
      const { id, rootfs } = await fixture.mount(chain, true);
      await fixture.perform({ tag: "stat", val: { view: { container: id, places: [] }, path: "/", follow: true } });
      mkdirSync(join(rootfs, "d"));
      libc.lsetxattr(join(fixture.paths.upper(id), "d"), "trusted.overlay.opaque", Buffer.from("y"));
      await commit(id, id);
      const member = { archive: id, path: "layer.tar", limit: 1 << 20 };
      const layer = await fixture.perform({ tag: "read", val: member });
      return layer.tag === "bytes" && Buffer.from(layer.val).includes("d/.wh..wh..opq");
    };
    expect([await marked(), await marked(await fixture.layer(rawTar([{ name: "other", body: "" }])))]).toEqual([
      false,
      true,
    ]);
  });

  test.each([false, true])("restores everything that was made, changed and removed; spent: %s", async (spent) => {
    const base = await fixture.layer(
      rawTar([
        { name: "gone", body: "x" },
        { name: "d/old", body: "x" },
        { name: "r/old", body: "x" },
        { name: "changed", body: "1" },
      ]),
    );
    const { id, rootfs } = await fixture.mount(base);
    const at = (name: string): string => join(rootfs, name);
    rmSync(at("gone"));
    rmSync(at("d/old"));
    rmSync(at("r"), { recursive: true });
    mkdirSync(at("r"));
    writeFileSync(at("r/new"), "new");
    writeFileSync(at("changed"), "22");
    writeFileSync(at("su"), "program");
    chownSync(at("su"), 1000, 3_000_000);
    chmodSync(at("su"), 0o4711);
    libc.lsetxattr(at("su"), "security.capability", Buffer.from("0100000280000000000000000000000000000000", "hex"));
    libc.lutimens(at("su"), 5n, 1_600_000_000_123_456_789n);
    linkSync(at("su"), at("zz-same"));
    symlinkSync("su", at("link"));
    libc.mknod(at("null"), 0o020666, { major: 1, minor: 3 });
    libc.mknod(at("pipe"), 0o010600, { major: 0, minor: 0 });
    mkdirSync(at(`${"l".repeat(200)}/ünlü`), { recursive: true, mode: 0o700 });
    writeFileSync(at(`${"l".repeat(200)}/ünlü/file`), "deep");
    libc.mknod(at("socket"), 0o140600, { major: 0, minor: 0 });
    const inodeOf = (path: string): bigint => lstatSync(path, { bigint: true }).ino;
    const written = inodeOf(join(fixture.paths.upper(id), "changed"));
    const committed = await commit(id, "a", spent);

    expect(committed).toMatchObject({ size: 3n + 2n + 7n + 4n, empty: false });
    const chain = await unpack("a", committed, base);
    expect(inodeOf(join(fixture.diff(chain), "changed")) === written).toBe(spent);
    const { rootfs: copy } = await fixture.mount(chain);
    const of = (name: string) => lstatSync(join(copy, name), { bigint: true });
    expect(
      readdirSync(copy)
        .filter((name) => !["dev", "etc", "proc", "sys", ".dockerenv"].includes(name))
        .sort(),
    ).toEqual(["changed", "d", "link", "l".repeat(200), "null", "pipe", "r", "su", "zz-same"].sort());
    expect(readdirSync(join(copy, "d"))).toEqual([]);
    expect(readdirSync(join(copy, "r"))).toEqual(["new"]);
    expect(readFileSync(join(copy, "changed"), "utf8")).toBe("22");
    expect(of("su")).toMatchObject({
      uid: 1000n,
      gid: 3_000_000n,
      mode: 0o104711n,
      mtimeNs: 1_600_000_000_123_456_789n,
    });
    expect(of("zz-same").ino).toBe(of("su").ino);
    expect(Buffer.from(libc.lgetxattr(join(copy, "su"), "security.capability") ?? []).toString("hex")).toMatch(
      /^0100000280/,
    );
    expect(readlinkSync(join(copy, "link"))).toBe("su");
    expect(of("null").rdev).toBe(0x103n);
    expect(of("pipe").isFIFO()).toBe(true);
    expect(readFileSync(join(copy, "l".repeat(200), "ünlü/file"), "utf8")).toBe("deep");
    expect(of(`${"l".repeat(200)}/ünlü`).mode & 0o777n).toBe(0o700n);
  });

  test("whose files are spent gives a layer what its tar says, even if they are gone or are others by now", async () => {
    const { id, rootfs } = await fixture.mount();
    const names = ["kept", "gone", "longer", "other", "a/link"];
    for (const name of names) {
      mkdirSync(join(rootfs, "a"), { recursive: true });
      writeFileSync(join(rootfs, name), name);
    }
    const committed = await commit(id, "a", true);
    const upper = (name: string): string => join(fixture.paths.upper(id), name);
    rmSync(upper("gone"));
    writeFileSync(upper("longer"), "longer than before");
    writeFileSync(upper("other"), "OTHER");
    rmSync(upper("a"), { recursive: true });
    const diff = fixture.diff(await unpack("a", committed));
    for (const name of names) {
      expect(readFileSync(join(diff, name), "utf8")).toBe(name);
    }
    await fixture.perform({ tag: "drop-container", val: id });
    expect(readFileSync(join(diff, "kept"), "utf8")).toBe("kept");
  });

  // A tar of a commit does not tell them, so they must not be there on one machine only.
  test.each([false, true])("gives no file an attribute that its tar does not tell; spent: %s", async (spent) => {
    const { id, rootfs } = await fixture.mount();
    for (const name of ["plain", "noted", "able"]) writeFileSync(join(rootfs, name), name);
    const capability = Buffer.from("0100000280000000000000000000000000000000", "hex");
    libc.lsetxattr(join(rootfs, "noted"), "trusted.note", Buffer.from("hi"));
    libc.lsetxattr(join(rootfs, "able"), "security.capability", capability);
    const inodeOf = (path: string): bigint => lstatSync(path, { bigint: true }).ino;
    const written = new Map(["plain", "able"].map((name) => [name, inodeOf(join(fixture.paths.upper(id), name))]));
    const diff = fixture.diff(await unpack("a", await commit(id, "a", spent)));
    expect(libc.llistxattr(join(diff, "noted"))).toEqual([]);
    expect(readFileSync(join(diff, "noted"), "utf8")).toBe("noted");
    expect(libc.llistxattr(join(diff, "able"))).toEqual(["security.capability"]);
    for (const [name, inode] of written) expect(inodeOf(join(diff, name)) === inode).toBe(spent);
  });

  test("reads files of others with and without the right to leave their times of access as they are", () => {
    const path = join(fixture.root, "another's");
    writeFileSync(path, "bytes");
    chmodSync(fixture.root, 0o755);
    const opened = (): number => {
      const found = { name: "file", path: Buffer.from(path), stat: lstatSync(path, { bigint: true }) };
      const { file } = openMember(found, new LinkNames(), libc, true)!;
      const flags = /^flags:\s+(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${file}`, "utf8"))![1]!;
      closeSync(file);
      return Number.parseInt(flags, 8) & constants.O_NOATIME;
    };
    const withRight = opened();
    process.seteuid!(65_534);
    try {
      expect([withRight, opened()]).toEqual([constants.O_NOATIME, 0]);
    } finally {
      process.seteuid!(0);
    }
  });

  test("can be read by tar(1), and equal changes give equal bytes", async () => {
    const base = await fixture.layer(rawTar([{ name: "gone", body: "x" }]));
    const { id, rootfs } = await fixture.mount(base);
    rmSync(join(rootfs, "gone"));
    mkdirSync(join(rootfs, "b"));
    writeFileSync(join(rootfs, "b/file"), "x");
    writeFileSync(join(rootfs, "a"), "x");
    const [one, two] = [await commit(id, "a"), await commit(id, "b")];
    expect(two).toEqual(one);
    const tar = fixture.paths.archives("archive-a", "layer.tar");
    expect((await must(["tar", "-tf", tar])).trim().split("\n")).toEqual(["a", "b/", "b/file", ".wh.gone"]);
    expect(digestOf(readFileSync(tar))).toBe(one.diffId);
  });

  test("has as many bytes of a file as its header says, even if the file shrinks meanwhile", async () => {
    const { id, rootfs } = await fixture.mount();
    writeFileSync(join(rootfs, "shrinking"), Buffer.alloc(64 << 20, "x"));
    const committed = commit(id, "a");
    await new Promise((resolve) => setTimeout(resolve, 5));
    truncateSync(join(rootfs, "shrinking"), 100);
    const { diffId } = await committed;
    const tar = readFileSync(fixture.paths.archives("archive-a", "layer.tar"));
    expect(tar.length % 512).toBe(0);
    expect(digestOf(tar)).toBe(diffId);
    await must(["tar", "-tf", fixture.paths.archives("archive-a", "layer.tar")]);
  });

  test("has no directories that only mounts needed; others stay, however empty", async () => {
    const image = [
      { name: "image/", flag: "5" },
      { name: "link", flag: "2", target: "image" },
    ];
    const chain = await fixture.layer(rawTar(image));
    const { id, rootfs } = await fixture.mount(chain);
    for (const name of ["image/x/y", "link/by/link", "a/b/c", "used/b", "etc/new/d", "bare/b"])
      mkdirSync(join(rootfs, name), { recursive: true });
    writeFileSync(join(rootfs, "a/b/file"), "");
    writeFileSync(join(rootfs, "used/file"), "");
    const mountPoints = [
      "/image/x/y",
      "/link/by/link",
      "/a/b/c/",
      "/a/b/file",
      "/used/b",
      "/etc/new/d",
      "/none/at/all",
    ];
    const committed = await fixture.perform({
      tag: "commit",
      val: { archive: "a", container: id, chain, mountPoints, spent: false },
    });
    expect(committed).toMatchObject({ tag: "committed", val: { empty: false } });
    const names = (await must(["tar", "-tf", fixture.paths.archives("archive-a", "layer.tar")])).trim().split("\n");
    expect(names.filter((name) => !name.includes(".wh."))).toEqual([
      ...["bare/", "bare/b/", "etc/", "image/", "used/", "used/file"],
    ]);
  });

  test("under a taken name is refused, and the existing one stays", async () => {
    const { id } = await fixture.mount();
    await commit(id, "a");
    const failure = await failed(
      fixture.perform({ tag: "commit", val: { archive: "a", container: id, mountPoints: [], spent: false } }),
    );
    expect(failure["tag"]).toBe("exists");
    expect(readdirSync(fixture.paths.archives())).toEqual(["archive-a"]);
  });
});

async function commit(container: string, archive: string, spent = false): Promise<engine.Committed> {
  const outcome = await fixture.perform({ tag: "commit", val: { archive, container, mountPoints: [], spent } });
  if (outcome.tag !== "committed") throw new Error(outcome.tag);
  return outcome.val;
}

async function unpack(archive: string, { diffId }: engine.Committed, parent?: string): Promise<string> {
  const chain = chainOf(diffId, parent);
  const source = { tag: "archived" as const, val: { archive, path: "layer.tar" } };
  const below = parent === undefined ? {} : { parent };
  await fixture.perform({
    tag: "layer",
    val: { chain, diffId, source, limits: ROOMY, anew: false, unflushed: false, ...below },
  });
  return chain;
}
