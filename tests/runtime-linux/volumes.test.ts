// Volumes: created, filled from an image, removed. Needs root.

import { closeSync, existsSync, lstatSync, mkdirSync, openSync, readdirSync } from "node:fs";
import { readFileSync, readlinkSync, readSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { volumes } from "../../hosts/shared/host.js";
import { libc } from "../../runtime-linux/kernel/libc.js";
import { linuxVolumes, type LinuxVolumes } from "../../runtime-linux/volumes.js";
import { FORMS } from "../support/archives/sparse-tar.js";
import { rawTar } from "../support/archives/tar.js";
import { failed, missing, openFixture, type Fixture } from "./content/content-fixture.js";
import { describeUnless } from "../support/on-engines.js";

let fixture: Fixture;
let carrier: LinuxVolumes;
beforeEach(() => {
  fixture = openFixture();
  carrier = linuxVolumes({ paths: fixture.paths, kernel: libc });
});
afterEach(() => fixture.close());

describeUnless(missing, "a volume", () => {
  test("is made once, listed, and dropped once, with any number of requests", async () => {
    for (const _ of [1, 2]) await perform({ tag: "make", val: "data" });
    expect(lstatSync(fixture.paths.volume("data")).mode & 0o777).toBe(0o755);
    writeFileSync(join(fixture.paths.volume("data"), "kept"), "x");
    await perform({ tag: "make", val: "data" });
    expect(readdirSync(fixture.paths.volume("data"))).toEqual(["kept"]);
    expect(carrier.names()).toEqual(["data"]);
    for (const _ of [1, 2]) await perform({ tag: "drop", val: "data" });
    expect(carrier.names()).toEqual([]);
    expect(readdirSync(fixture.paths.volumes())).toEqual([]);
  });

  test("is filled with the image's files at that path, unchanged", async () => {
    const pax = { mtime: "1500000001.5", "SCHILY.xattr.user.note": "hi" };
    const chain = await fixture.layer(
      rawTar([
        { name: "srv/", flag: "5", mode: 0o2750, uid: 5, gid: 6, mtime: 1_500_000_000 },
        { name: "srv/file", body: "x", mode: 0o4755, uid: 7, pax },
        // A file's attributes come from its last name.
        { name: "srv/same", flag: "1", target: "srv/file", mode: 0o4755, uid: 7, pax },
        { name: "srv/link", flag: "2", target: "/etc/passwd", uid: 8 },
        { name: "srv/sub/", flag: "5", mode: 0o1777, mtime: 1_500_000_002 },
        { name: "srv/sub/pipe", flag: "6" },
        { name: "srv/big", body: Buffer.alloc(2 << 20, "b") },
      ]),
    );
    const { id } = await fixture.mount(chain);
    await perform({ tag: "make", val: "data" });
    await perform({ tag: "populate", val: { name: "data", container: id, path: "/srv" } });
    const at = (name: string) => lstatSync(join(fixture.paths.volume("data"), name), { bigint: true });
    expect(at("")).toMatchObject({ mode: 0o42750n, uid: 5n, gid: 6n, mtimeNs: 1_500_000_000_000_000_000n });
    expect(at("file")).toMatchObject({ mode: 0o104755n, uid: 7n, mtimeNs: 1_500_000_001_500_000_000n, nlink: 2n });
    expect(at("same").ino).toBe(at("file").ino);
    expect(readlinkSync(join(fixture.paths.volume("data"), "link"))).toBe("/etc/passwd");
    expect(at("link").uid).toBe(8n);
    expect(at("sub")).toMatchObject({ mode: 0o41777n, mtimeNs: 1_500_000_002_000_000_000n });
    expect(at("sub/pipe").isFIFO()).toBe(true);
    expect(at("big").size).toBe(2n << 20n);
    expect(Buffer.from(libc.lgetxattr(join(fixture.paths.volume("data"), "file"), "user.note") ?? []).toString()).toBe(
      "hi",
    );
    expect(readdirSync(join(fixture.paths.volume("data"), ".."))).toEqual(["_data"]);
  });

  test("keeps holes: a small file may have a length larger than any disk", async () => {
    const sparse = { name: "srv/holes", parts: [[1 << 30, 3]], size: 2 ** 39, body: "abc" } as const;
    const { id } = await fixture.mount(await fixture.layer(rawTar([FORMS["1.0"]!(sparse)])));
    await perform({ tag: "make", val: "data" });
    await perform({ tag: "populate", val: { name: "data", container: id, path: "/srv" } });
    const copy = join(fixture.paths.volume("data"), "holes");
    const { size, blocks } = lstatSync(copy);
    expect([size, blocks < 100]).toEqual([2 ** 39, true]);
    const file = openSync(copy, "r");
    const bytes = Buffer.alloc(5);
    readSync(file, bytes, 0, 5, (1 << 30) - 1);
    closeSync(file);
    expect(bytes.toString("latin1")).toBe("\0abc\0");
  });

  test("that is not empty, or whose path is not a directory, stays unchanged", async () => {
    const { id, rootfs } = await fixture.mount();
    writeFileSync(join(rootfs, "file"), "x");
    mkdirSync(join(rootfs, "dir"));
    writeFileSync(join(rootfs, "dir/new"), "x");
    await perform({ tag: "make", val: "data" });
    for (const path of ["/file", "/nothing", "/file/below"]) {
      await perform({ tag: "populate", val: { name: "data", container: id, path } });
      expect(readdirSync(fixture.paths.volume("data"))).toEqual([]);
    }
    writeFileSync(join(fixture.paths.volume("data"), "mine"), "x");
    await perform({ tag: "populate", val: { name: "data", container: id, path: "/dir" } });
    expect(readdirSync(fixture.paths.volume("data"))).toEqual(["mine"]);
  });

  test("is filled through links as the container sees them, never from the machine", async () => {
    const chain = await fixture.layer(
      rawTar([
        { name: "etc/only-here", body: "image's" },
        { name: "abs", flag: "2", target: "/etc" },
        { name: "up", flag: "2", target: "../../../../../../../../etc" },
      ]),
    );
    const { id } = await fixture.mount(chain);
    for (const path of ["/abs", "/up", "/../../../etc"]) {
      const name = `v${path.length}`;
      await perform({ tag: "make", val: name });
      await perform({ tag: "populate", val: { name, container: id, path } });
      expect(readFileSync(join(fixture.paths.volume(name), "only-here"), "utf8")).toBe("image's");
      expect(existsSync(join(fixture.paths.volume(name), "passwd"))).toBe(false);
    }
  });

  test("whose filling was cut off by a crash is filled again", async () => {
    const { id, rootfs } = await fixture.mount();
    mkdirSync(join(rootfs, "dir"));
    writeFileSync(join(rootfs, "dir/one"), "whole");
    await perform({ tag: "make", val: "data" });
    writeFileSync(join(fixture.paths.volume("data"), "one"), "ha");
    writeFileSync(Buffer.concat([Buffer.from(`${fixture.paths.volume("data")}/`), Buffer.from([0xff])]), "not UTF-8");
    writeFileSync(join(fixture.paths.volume("data"), "../populating"), id);
    await perform({ tag: "populate", val: { name: "data", container: id, path: "/dir" } });
    expect(readFileSync(join(fixture.paths.volume("data"), "one"), "utf8")).toBe("whole");
    expect(readdirSync(fixture.paths.volume("data"))).toEqual(["one"]);
    expect(existsSync(join(fixture.paths.volume("data"), "../populating"))).toBe(false);
    expect(readdirSync(fixture.paths.volumes())).toEqual(["data"]);
  });

  test("keeps its files if the filling for another container was cut off: somebody may have written to them", async () => {
    const { id, rootfs } = await fixture.mount();
    mkdirSync(join(rootfs, "dir"));
    writeFileSync(join(rootfs, "dir/one"), "image's");
    for (const mark of ["e".repeat(64), ""]) {
      await perform({ tag: "make", val: "data" });
      writeFileSync(join(fixture.paths.volume("data"), "own"), "written");
      writeFileSync(join(fixture.paths.volume("data"), "../populating"), mark);
      await perform({ tag: "populate", val: { name: "data", container: id, path: "/dir" } });
      expect(readdirSync(fixture.paths.volume("data"))).toEqual(["own"]);
      expect(existsSync(join(fixture.paths.volume("data"), "../populating"))).toBe(false);
      await perform({ tag: "drop", val: "data" });
    }
  });

  test("whose filling is abandoned is filled again by the next command", async () => {
    const { id, rootfs } = await fixture.mount();
    mkdirSync(join(rootfs, "dir"));
    writeFileSync(join(rootfs, "dir/one"), "whole");
    await perform({ tag: "make", val: "data" });
    const populate = { tag: "populate", val: { name: "data", container: id, path: "/dir" } } as const;
    const filling = failed(carrier.perform(7n, populate, () => {}));
    carrier.abandon(7n);
    expect(await filling).toMatchObject({ tag: "interrupted" });
    expect(readdirSync(fixture.paths.volume("data"))).toEqual([]);
    await perform(populate);
    expect(readFileSync(join(fixture.paths.volume("data"), "one"), "utf8")).toBe("whole");
    expect(existsSync(join(fixture.paths.volume("data"), "../populating"))).toBe(false);
  });

  test("has a name, not a path", async () => {
    for (const name of ["../x", "", ".", "a/b", ".dropped-x"]) {
      expect((await failed(perform({ tag: "drop", val: name }))).tag).toBe("malformed");
    }
  });
});

async function perform(command: volumes.VolumeCommand): Promise<void> {
  expect(await carrier.perform(1n, command, () => {})).toEqual({ tag: "done" });
}
