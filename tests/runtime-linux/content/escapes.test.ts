// Layers that try to reach outside their directory: each is refused or stays inside. Files outside do not change. Needs
// root.

import {
  closeSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FORMS } from "../../support/archives/sparse-tar.js";
import { rawTar, type RawEntry } from "../../support/archives/tar.js";
import { failed, missing, openFixture, tree, type Fixture } from "./content-fixture.js";
import { describeUnless } from "../../support/on-engines.js";

const up = "../".repeat(20);
let fixture: Fixture;
let outside: string;

beforeEach(() => {
  const root = mkdtempSync(join(tmpdir(), "coracle-escape-"));
  outside = join(root, "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "secret"), "secret", { mode: 0o600 });
  fixture = openFixture(join(root, "engine"));
});

afterEach(() => {
  try {
    expect(tree(outside)).toEqual(["secret"]);
    expect(readFileSync(join(outside, "secret"), "utf8")).toBe("secret");
    expect(lstatSync(join(outside, "secret"))).toMatchObject({ nlink: 1, uid: 0 });
    expect(tree(fixture.paths.layers("tmp"))).toEqual([]);
  } finally {
    fixture.close();
    rmSync(join(outside, ".."), { recursive: true });
  }
});

describeUnless(missing, "refused", () => {
  test.each<[string, () => RawEntry[]]>([
    ["a pax path with a NUL", () => [{ name: "short", pax: { path: "evil\0name" }, body: "x" }]],
    ["a file in the place of the root", () => [{ name: up, body: "x", flag: "2", target: outside }]],
    ["a hard link to a name with .. out of the root", () => [hardLink("stolen", `${up}etc/passwd`)]],
    ["a hard link to a file outside", () => [hardLink("stolen", join(outside, "secret"))]],
    ["a hard link through a link", () => [link("out", outside), hardLink("stolen", "out/secret")]],
    [
      "a hard link through a link with .. out of the root",
      () => [link("out", up), hardLink("stolen", "out/etc/passwd")],
    ],
    ["a hard link to the root", () => [hardLink("stolen", "./")]],
    ["a hard link to a directory", () => [{ name: "dir/", flag: "5" }, hardLink("stolen", "dir")]],
    [
      "an entry below a file",
      () => [
        { name: "file", body: "x" },
        { name: "file/evil", body: "x" },
      ],
    ],
    ["an entry through a loop of links", () => [link("a", "b"), link("b", "a"), { name: "a/evil", body: "x" }]],
    ["a whiteout of the directory itself", () => [{ name: "a/.wh.." }]],
    ["a whiteout of the parent", () => [{ name: "a/.wh..." }]],
    ["a whiteout of nothing", () => [{ name: "a/.wh." }]],
    ["an unknown type", () => [{ name: "what", flag: "Z" }]],
  ])("%s", async (_, entries) => {
    const parent = await fixture.layer(rawTar([{ name: "base/", flag: "5" }]));
    const failure = await failed(fixture.layer(rawTar(entries()), parent));
    expect(["faulty-name", "damaged", "no-such"]).toContain(failure["tag"]);
    expect(fixture.content.chains()).toEqual([parent]);
  });
});

describeUnless(missing, "kept within the layer", () => {
  test.each<[string, () => RawEntry[], string]>([
    ["a name with ..", () => [{ name: `${up}${outside}/evil`, body: "x" }], "outside"],
    ["a name with .. in the middle", () => [{ name: `a/../..${outside}/evil`, body: "x" }], "outside"],
    ["a long name with ..", () => [{ name: "short", longName: `${up}${outside}/evil`, body: "x" }], "outside"],
    ["a pax path with ..", () => [{ name: "short", pax: { path: `/${up}${outside}/evil` }, body: "x" }], "outside"],
    ["an entry through a link with ..", () => [link("out", `${up}tmp`), { name: "out/evil", body: "x" }], "tmp"],
    [
      "a directory with ..",
      () => [
        { name: `${up}tmp/`, flag: "5" },
        { name: "tmp/evil", body: "x" },
      ],
      "tmp",
    ],
    [
      "a hard link with .., of a name with ..",
      () => [
        { name: `${up}tmp/file`, body: "x" },
        { name: `../..${outside}/evil`, flag: "1", target: `${up}../tmp/file` },
      ],
      "outside",
    ],
  ])("%s", async (_, entries, where) => {
    const chain = await fixture.layer(rawTar(entries()));
    const within = where === "outside" ? outside : where;
    expect(readFileSync(join(fixture.diff(chain), within, "evil"), "utf8")).toBe("x");
  });

  test("a whiteout with .. hides a name of the root", async () => {
    const base = await fixture.layer(rawTar([{ name: "outside", body: "x" }]));
    const chain = await fixture.layer(
      rawTar([{ name: `..${outside}/../.wh.outside` }, { name: "../.wh.outside" }]),
      base,
    );
    expect(lstatSync(join(fixture.diff(chain), "outside")).isCharacterDevice()).toBe(true);
  });

  test("holes take no space, also in a layer that links to them", async () => {
    const base = await fixture.layer(
      rawTar([FORMS["1.0"]!({ name: "holes", parts: [[GIB, 3]], size: 2 ** 39, body: "abc" })]),
    );
    const chain = await fixture.layer(rawTar([hardLink("same", "holes")]), base);
    const { size, blocks, nlink } = lstatSync(join(fixture.diff(chain), "same"));
    expect([size, blocks < 100, nlink]).toEqual([2 ** 39, true, 2]);
  });

  test("holes take no space", async () => {
    const parts = [[4096, 3], [GIB, 3]] as const; // prettier-ignore
    const sparse = { parts, size: 3 * GIB, body: "abcdef" };
    const entries = Object.entries(FORMS).map(([form, entry]) => entry({ ...sparse, name: form }));
    const chain = await fixture.layer(rawTar([...entries, { name: "after", body: "x" }]));
    const { id, rootfs } = await fixture.mount(chain);
    for (const form of Object.keys(FORMS)) {
      const { size, blocks } = lstatSync(join(fixture.diff(chain), form));
      expect([size, blocks < 100]).toEqual([3 * GIB, true]);
      const file = openSync(join(rootfs, form), "r");
      const read = (at: number): string => {
        const bytes = Buffer.alloc(5);
        readSync(file, bytes, 0, 5, at);
        return bytes.toString("latin1");
      };
      expect([read(4095), read(GIB - 1), read(3 * GIB - 5)]).toEqual(["\0abc\0", "\0def\0", "\0".repeat(5)]);
      closeSync(file);
    }
    await fixture.perform({ tag: "unmount", val: id });
  });

  test("an absolute name", async () => {
    const chain = await fixture.layer(rawTar([{ name: join(outside, "evil"), body: "x" }]));
    expect(readFileSync(join(fixture.diff(chain), outside, "evil"), "utf8")).toBe("x");
  });

  test("an entry through an absolute link, and one through a link in the middle of another", async () => {
    const chain = await fixture.layer(
      rawTar([
        link("out", outside),
        { name: "out/evil", body: "x" },
        link("a/b", "../c/../out"),
        { name: "a/b/more", body: "y" },
      ]),
    );
    expect(readFileSync(join(fixture.diff(chain), outside, "evil"), "utf8")).toBe("x");
    expect(readFileSync(join(fixture.diff(chain), outside, "more"), "utf8")).toBe("y");
  });

  test("a file, and a directory's mode, over a link to the outside", async () => {
    const chain = await fixture.layer(
      rawTar([
        link("file", join(outside, "secret")),
        { name: "file", body: "x", uid: 7, mode: 0o777 },
        link("dir", outside),
        { name: "dir/", flag: "5", mode: 0o777, uid: 7 },
        { name: "dir/evil", body: "x" },
      ]),
    );
    expect(readFileSync(join(fixture.diff(chain), "file"), "utf8")).toBe("x");
    expect(lstatSync(join(fixture.diff(chain), "dir")).isDirectory()).toBe(true);
    expect(lstatSync(outside).mode & 0o777).not.toBe(0o777);
  });

  test("a directory that became a link after it was entered", async () => {
    const chain = await fixture.layer(
      rawTar([{ name: "d/one", body: "1" }, link("d", outside), { name: "d/two", body: "2" }]),
    );
    expect(readFileSync(join(fixture.diff(chain), outside, "two"), "utf8")).toBe("2");
  });

  test("links to the outside stay unchanged: in a container they lead elsewhere", async () => {
    const chain = await fixture.layer(rawTar([link("abs", "/etc/passwd"), link("rel", "../../../etc/passwd")]));
    expect(tree(fixture.diff(chain))).toEqual(["abs", "rel"]);
  });

  test("overlayfs's own attributes are the host's, not an image's", async () => {
    const pax = { "SCHILY.xattr.trusted.overlay.redirect": "/etc", "SCHILY.xattr.user.overlay.opaque": "y" };
    const chain = await fixture.layer(rawTar([{ name: "dir/", flag: "5", pax }]));
    const { libc } = await import("../../../runtime-linux/kernel/libc.js");
    expect(libc.llistxattr(join(fixture.diff(chain), "dir"))).toEqual([]);
  });
});

const GIB = 1 << 30;

function link(name: string, target: string): RawEntry {
  return { name, flag: "2", target };
}

function hardLink(name: string, target: string): RawEntry {
  return { name, flag: "1", target };
}
