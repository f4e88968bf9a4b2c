// Unusual tars from clients: names and links that lead upwards, sparse files, owners with numbers of any size. Tested
// for files copied into a container and for layers of images.
import { expect, test } from "vitest";
import { messageOf, type Json } from "../support/engine-client.js";
import { busyboxLayer, dockerArchive } from "../support/archives/images.js";
import { onEngines } from "../support/on-engines.js";
import { readTar, type TarMember } from "../support/archives/read-tar.js";
import { bodyMapEntry, FORMS, type Sparse } from "../support/archives/sparse-tar.js";
import { base256, rawTar, type RawEntry } from "../support/archives/tar.js";

const BROKEN = "Error processing tar file(exit status 1): ";
const UP = "../".repeat(20);

onEngines("tars", (engine, kind) => {
  /** Both ways in: unpacks entries, and returns what is then at a path. Throws the error answer. */
  const ways: Record<string, (entries: RawEntry[], path: string) => Promise<TarMember[]>> = {
    "put into a container": async (entries, path) => {
      const id = await made();
      try {
        await put(id, "/", entries);
        return await read(id, path);
      } finally {
        await engine().remove(id);
      }
    },
    "a layer of an image": async (entries, path) => {
      const failure = await load([rawTar([{ name: "d/", flag: "5", mode: 0o755 }, ...entries])]);
      if (failure !== "") throw new Error(failure);
      const id = await engine().create({ Image: "tars:1", Cmd: ["true"] });
      try {
        return await read(id, path);
      } finally {
        await engine().remove(id);
        await engine().must(200, "DELETE", "/images/tars:1");
      }
    },
  };

  test("names and paths may be as long as on Linux, but no longer", async () => {
    const id = await made();
    const file = (longName: string): RawEntry[] => [{ name: "long", longName, body: "x" }];
    const deep = (depth: number): string => Array.from({ length: depth }, () => "d").join("/");
    try {
      for (const name of ["n".repeat(255), deep(1600)]) {
        await put(id, "/", file(name));
        // The reference accepts a path below this many directories but cannot read it back.
        if (kind === "reference" && name.includes("/")) continue;
        expect(await read(id, `/${name}`)).toMatchObject([{ text: "x" }]);
      }
      for (const name of ["n".repeat(256), "é".repeat(128), deep(2060)]) {
        const bytes = Buffer.from(name).toString("latin1");
        await expect(put(id, "/", file(bytes))).rejects.toThrow(`${BROKEN}open /${name}: file name too long`);
      }
    } finally {
      await engine().remove(id);
    }
  });

  for (const [way, unpack] of Object.entries(ways)) {
    test.each<[string, RawEntry[], string]>([
      ["a name with ..", [{ name: "../x", body: "in" }], "/x"],
      ["a name with .. to a directory", [{ name: `${UP}d/x`, body: "in" }], "/d/x"],
      ["an absolute name with ..", [{ name: "/../d/../x", body: "in" }], "/x"],
      ["a name with .. in the middle", [{ name: "a/../../x", body: "in" }], "/x"],
      ["a long name with ..", [{ name: "short", longName: `${UP}x`, body: "in" }], "/x"],
      ["a pax path with ..", [{ name: "short", pax: { path: `${UP}x` }, body: "in" }], "/x"],
      ["a name through a link with ..", [link("out", UP), { name: "out/x", body: "in" }], "/x"],
      ["a name with .. after a link", [link("out", "/etc"), { name: "out/../x", body: "in" }], "/x"],
      ["a hard link with ..", [{ name: "f", body: "in" }, hard("x", `${UP}f`)], "/x"],
      ["a hard link with .. in its name", [{ name: "f", body: "in" }, hard("../x", "/../f")], "/x"],
    ])(`${way}: %s stays inside`, async (_, entries, path) => {
      // A hard link is reported under the requested name.
      expect(await unpack(entries, path)).toMatchObject([{ name: "x", type: "file", text: "in" }]);
    });

    const cut = "d/".repeat(50);
    test.each<[string, Partial<RawEntry>]>([
      ["pax's", { pax: { path: `${cut}x` } }],
      ["GNU tar's", { longName: `${cut}x` }],
    ])(`${way}: a file stays a file if its long name, %s, is cut off after a slash`, async (_, long) => {
      const found = await unpack([{ name: cut, body: "in", ...long }, { name: "after" }], `/${cut}x`);
      expect(found).toMatchObject([{ name: "x", type: "file", text: "in" }]);
    });

    test.each<[string, RawEntry[]]>([
      ["a file in place of the root", [{ name: "..", body: "x" }]],
      ["a hard link to the root", [hard("x", "..")]],
      ["a hard link to a directory", [{ name: "own/", flag: "5" }, hard("x", "own")]],
      ["an entry below a file", [{ name: "own", body: "x" }, { name: "own/x", body: "x" }]], // prettier-ignore
      ["an entry through a loop", [link("a", "b"), link("b", "a"), { name: "a/x", body: "x" }]],
    ])(`${way}: %s is refused`, async (_, entries) => {
      await expect(unpack(entries, "/x")).rejects.toThrow(BROKEN);
    });

    test.each(["0.0", "0.1", "1.0"])(`${way}: a file with holes, %s`, async (form) => {
      const [file] = await unpack([FORMS[form]!(HOLES), { name: "after", body: "1" }], "/holes");
      expect([file?.name, file?.text === TEXT]).toEqual(["holes", true]);
    });

    test(`${way}: a file with holes, in GNU tar's old format`, async () => {
      const unpacking = unpack([FORMS["S"]!(HOLES)], "/holes");
      if (engine().expected("gnu-sparse", true, false)) expect((await unpacking)[0]?.text === TEXT).toBe(true);
      else await expect(unpacking).rejects.toThrow(`${BROKEN}unhandled tar header type 83`);
    });

    test(`${way}: invalid or unlimited holes and maps are refused`, async () => {
      const huge = { name: "huge", parts: [], size: 2 ** 50, body: "" };
      const overlap: Sparse = { name: "holes", parts: [[0, 3], [2, 4]], size: 100, body: "abcdefg" }; // prettier-ignore
      await expect(unpack([FORMS["1.0"]!(overlap)], "/x")).rejects.toThrow(`${BROKEN}archive/tar: invalid tar header`);
      // The reference would write all of it.
      if (kind === "reference") return;
      await expect(unpack([bodyMapEntry(huge, "0\n")], "/x")).rejects.toThrow(
        /^Error processing tar file\(exit status 1\): holes of sparse files make up more than \d+ bytes$/,
      );
    });

    test.each<[string, Partial<RawEntry>, number]>([
      ["2^31", { fields: { 108: base256(2n ** 31n) } }, 2 ** 31],
      ["2^32 - 2", { fields: { 108: base256(2n ** 32n - 2n) } }, 2 ** 32 - 2],
      ["2^32 - 1", { fields: { 108: base256(2n ** 32n - 1n) } }, 0],
      ["2^32", { fields: { 108: base256(2n ** 32n) } }, 0],
      ["2^32 + 5", { fields: { 108: base256(2n ** 32n + 5n) } }, 5],
      ["2^53 + 1", { fields: { 108: base256(2n ** 53n + 1n) } }, 1],
      ["-1", { fields: { 108: base256(-1n) } }, 0],
      ["-2", { fields: { 108: base256(-2n) } }, 2 ** 32 - 2],
      ["eight octal digits", { fields: { 108: "77777777" } }, 8 ** 8 - 1],
      ["2^31 in pax", { pax: { uid: String(2 ** 31) } }, 2 ** 31],
      ["2^32 + 5 in pax", { pax: { uid: String(2 ** 32 + 5) } }, 5],
      ["2^63 - 1 in pax", { pax: { uid: String(2n ** 63n - 1n) } }, 0],
      ["-1 in pax", { pax: { uid: "-1" } }, 0],
      ["-2 in pax", { pax: { uid: "-2" } }, 2 ** 32 - 2],
      ["a plus in pax", { pax: { uid: "+5" } }, 5],
    ])(`${way}: an owner of %s`, async (_, how, uid) => {
      expect(await unpack([{ name: "x", body: "x", gid: 7, ...how }], "/x")).toMatchObject([{ uid, gid: 7 }]);
      const directory = await unpack([{ name: "own/", flag: "5", gid: 7, ...how }], "/own");
      expect(directory).toMatchObject([{ uid, gid: 7 }]);
    });

    test.each(["d/f", "d/x"])(
      `${way}: a hard link's owner, mode and time are the file's, by the name %s`,
      async (name) => {
        const entries = [FILE, { ...hard("d/x", "d/f"), ...OTHER }];
        expect(await unpack(entries, `/${name}`)).toMatchObject([{ type: "file", text: "x", ...OTHER }]);
      },
    );

    test(`${way}: a hard link to a symbolic link sets that link's owner, and does not change its target`, async () => {
      const entries = [FILE, { ...link("d/s", "f"), mtime: 7000 }, { ...hard("d/x", "d/s"), ...OTHER }];
      expect(await unpack(entries, "/d/f")).toMatchObject([{ mode: 0o644, uid: 1, gid: 2, mtime: 1000 }]);
      expect(await unpack(entries, "/d/s")).toMatchObject([{ type: "symlink", uid: 5, gid: 6, mtime: 7000 }]);
    });

    test(`${way}: an owner that is not a 64-bit number`, async () => {
      for (const uid of ["0x10", "5.5", " 5", "five", String(2n ** 63n)]) {
        const unpacking = unpack([{ name: "x", body: "x", pax: { uid } }], "/x");
        await expect(unpacking).rejects.toThrow(`${BROKEN}archive/tar: invalid tar header`);
      }
    });
  }

  test("an existing directory keeps its owner if the tar has none", async () => {
    const id = await made();
    await put(id, "/", [{ name: "d/sub/", flag: "5", uid: 12, gid: 34 }]);
    await put(id, "/", [{ name: "d/sub/", flag: "5", mode: 0o700, pax: { uid: "-1", gid: "4294967295" } }]);
    expect(await read(id, "/d/sub")).toMatchObject([{ mode: 0o700, uid: 12, gid: 34 }]);
    await engine().remove(id);
  });

  test.each<[string, RawEntry[], string]>([
    ["a name", [{ name: "../x", body: "x" }], '"../x" is outside of "/d"'],
    ["a name on its way", [{ name: "a/../../x", body: "x" }], '"../x" is outside of "/d"'],
    ["a name to the root", [{ name: "../../etc/x", body: "x" }], '"../../etc/x" is outside of "/d"'],
    ["a directory", [{ name: "../q/", flag: "5" }], '"../q" is outside of "/d"'],
    ["a hard link", [hard("x", "../etc/passwd")], 'invalid hardlink "/etc/passwd" -> "../etc/passwd"'],
    ["an absolute hard link", [hard("x", "/../etc/passwd")], 'invalid hardlink "/etc/passwd" -> "/../etc/passwd"'],
    ["a hard link to the root", [hard("x", "..")], 'invalid hardlink "/" -> ".."'],
    ["a symbolic link", [link("x", "../y")], 'invalid symlink "/d/x" -> "../y"'],
    ["an absolute symbolic link", [link("x", "/../etc/y")], 'invalid symlink "/d/x" -> "/../etc/y"'],
    ["a symbolic link to the root", [link("x", "..")], 'invalid symlink "/d/x" -> ".."'],
    ["a symbolic link below", [link("sub/x", "../../y")], 'invalid symlink "/d/sub/x" -> "../../y"'],
  ])("below a directory other than the root, nothing leads out: %s", async (_, entries, message) => {
    const id = await made();
    await expect(put(id, "/d", entries)).rejects.toThrow(`${BROKEN}${message}`);
    await engine().remove(id);
  });

  test("below a directory other than the root, names may have ..", async () => {
    const id = await made();
    await put(id, "/d", [
      { name: "/../one", body: "1" },
      { name: "sub/../two", body: "2" },
      { name: "../d/three", body: "3" },
      hard("four", "../d/three"),
      hard("five", "/three"),
    ]);
    const names = (await read(id, "/d/.")).map(({ name }) => name).sort();
    expect(names).toEqual(["./", "./five", "./four", "./one", "./three", "./two"]);
    await engine().remove(id);
  });

  test("below a directory other than the root, symbolic links may have .., and lead anywhere from the root", async () => {
    const id = await made();
    const links = [
      ["abs", "/etc/passwd"],
      ["self", "../d"],
      ["sub/up", "../y"],
      ["beside", "../dother"],
    ] as const;
    await put(
      id,
      "/d",
      links.map(([name, target]) => link(name, target)),
    );
    for (const [name, target] of links)
      expect(await read(id, `/d/${name}`)).toMatchObject([{ type: "symlink", target }]);
    await engine().remove(id);
  });

  test("below a directory other than the root, a hard link to a file outside the layer sets only its owner", async () => {
    const id = await made();
    await put(id, "/d", [
      { ...FILE, name: "f" },
      { ...hard("x", "f"), ...OTHER },
    ]);
    for (const name of ["f", "x"]) {
      expect(await read(id, `/d/${name}`)).toMatchObject([{ mode: 0o644, uid: 5, gid: 6, mtime: 1000 }]);
    }
    await engine().remove(id);
  });

  test("whiteouts hide files by their names, even with .. in them", async () => {
    const base = rawTar([
      { name: "d/", flag: "5", mode: 0o755 },
      { name: "d/file", body: "x" },
      { name: "kept", body: "x" },
    ]);
    expect(await load([base, rawTar([{ name: "../../d/../.wh.d" }])])).toBe("");
    const id = await engine().create({ Image: "tars:1", Cmd: ["true"] });
    await expect(read(id, "/kept")).resolves.toHaveLength(1);
    expect((await engine().call("HEAD", `/containers/${id}/archive?path=/d`)).status).toBe(404);
    await engine().remove(id);
    await engine().must(200, "DELETE", "/images/tars:1");
    for (const name of ["d/.wh..", "d/.wh...", "../.wh..", ".wh."]) {
      expect(await load([base, rawTar([{ name }])])).toContain(engine().kind === "reference" ? "mknod" : "whiteout");
    }
  });

  test("an image with sparse files is saved unchanged", async () => {
    const layer = rawTar([FORMS["1.0"]!(HOLES), FORMS["0.1"]!({ ...HOLES, name: "more" }), { name: "x", body: "1" }]);
    expect(await load([await busyboxLayer(), layer])).toBe("");
    const saved = await engine().call("GET", "/images/tars:1/get");
    expect(saved.status).toBe(engine().expected("sparse-saved", 200, 500));
    if (kind !== "reference") expect(saved.body.includes(layer)).toBe(true);
    await engine().must(200, "DELETE", "/images/tars:1");
  });

  async function made(): Promise<string> {
    const id = await engine().create({ Cmd: ["true"] });
    await put(id, "/", [{ name: "d/", flag: "5", mode: 0o755 }]);
    return id;
  }

  async function put(id: string, path: string, entries: RawEntry[]): Promise<void> {
    const headers = { "Content-Type": "application/x-tar" };
    const to = `/containers/${id}/archive?path=${encodeURIComponent(path)}`;
    const answer = await engine().call("PUT", to, rawTar(entries), { headers });
    if (answer.status !== 200) throw new Error(messageOf(answer));
  }

  async function read(id: string, path: string): Promise<TarMember[]> {
    const from = `/containers/${id}/archive?path=${encodeURIComponent(path)}`;
    const headers = { "Accept-Encoding": "identity" };
    return readTar((await engine().must(200, "GET", from, undefined, { headers })).body);
  }

  /** The error of loading an image with these layers; empty if it succeeds. */
  async function load(layers: Buffer[]): Promise<string> {
    const archive = await dockerArchive([{ reference: "tars:1", config: { Cmd: ["true"] }, layers }]);
    const headers = { "Content-Type": "application/x-tar" };
    const answer = await engine().must(200, "POST", "/images/load?quiet=1", archive, { headers });
    const lines = answer.text.split("\n").filter((line) => line.trim() !== "");
    const failed = lines.map((line) => JSON.parse(line) as Json).find((line) => "error" in line);
    return String(failed?.["error"] ?? "");
  }
});

const TEXT = `abc${"\0".repeat(99_997)}defg${"\0".repeat(99_996)}`;
const HOLES: Sparse = { name: "holes", parts: [[0, 3], [100_000, 4], [200_000, 0]], size: 200_000, body: "abcdefg" }; // prettier-ignore

/** Mode, owner and time of a file and of a hard link to it: both names refer to one file afterwards. */
const FILE = { name: "d/f", body: "x", mode: 0o644, uid: 1, gid: 2, mtime: 1000 };
const OTHER = { mode: 0o600, uid: 5, gid: 6, mtime: 2000 };

function link(name: string, target: string): RawEntry {
  return { name, flag: "2", target };
}

function hard(name: string, target: string): RawEntry {
  return { name, flag: "1", target };
}
