// Copies between files of containers, as a build asks for them: the same cases for every host.

import { expect, test } from "vitest";
import type { Outcome, content, engine } from "../../../hosts/shared/host.js";
import type { FileSystem } from "../../../hosts/simulated/files/file-system.js";
import { HostFailure } from "../../../hosts/shared/index.js";
import { ROOMY, rawTar, type RawEntry } from "../archives/tar.js";

/** What the cases need of a host's fixture. */
export interface CopyingFixture {
  perform(command: content.ContentCommand): Promise<Outcome>;
  layer(tar: Uint8Array): Promise<string>;
  mount(chain?: string, bare?: boolean): Promise<{ id: string; files: CopiedFiles }>;
}

type CopiedFiles = Pick<FileSystem, "list" | "linkStatus" | "read">;

const FILES: RawEntry[] = [
  { name: "a.txt", body: "one", mode: 0o640, uid: 5, gid: 6 },
  { name: "b.txt", body: "two" },
  { name: "bin/", flag: "5", mode: 0o700 },
  { name: "bin/run", body: "#!", mode: 0o755, uid: 7 },
  { name: "bin/link", flag: "2", target: "run" },
  { name: "bin/hard", flag: "1", target: "bin/run", mode: 0o755, uid: 7 },
  { name: "to-bin", flag: "2", target: "/bin" },
  { name: "empty/", flag: "5" },
];
/** A directory and a file of other owners. */
const OWNED: RawEntry[] = [
  { name: "owned/", flag: "5", mode: 0o700, uid: 3, gid: 4 },
  { name: "owned/f", body: "x", uid: 3, gid: 4 },
];

export function copyingTests(open: () => CopyingFixture): void {
  test.each<[string, Partial<content.Copy> | null, [string, string, boolean?][], string[]]>([
    ["a file, as root's", null, [["a.txt", "/x"]], ["x 640 0:0 one"]],
    ["a file into new directories", null, [["a.txt", "/p/q/x"]], ["p d755 0:0", "p/q d755 0:0", "p/q/x 640 0:0 one"]],
    ["the file behind a link", null, [["to-bin/run", "/x"]], ["x 755 0:0 #!"]],
    [
      "the contents of a directory, with links among them",
      null,
      [["bin", "/d", true]],
      ["d d755 0:0", "d/hard 755 0:0 #!", "d/link -> run", "d/run 755 0:0 #!"],
    ],
    [
      "a directory with its owners into a new one, which is root's",
      {},
      [["owned", "/o", true]],
      ["o d755 0:0", "o/f 644 3:4 x"],
    ],
    ["a directory without contents", null, [["empty", "/e/f", true]], ["e d755 0:0", "e/f d755 0:0"]],
    ["for another owner", { owner: "12:13" }, [["a.txt", "/x"]], ["x 640 12:13 one"]],
    ["with its own owner", {}, [["a.txt", "/x"]], ["x 640 5:6 one"]],
    ["with another mode", { owner: "0:0", mode: [set(0o600)] }, [["a.txt", "/x"]], ["x 600 0:0 one"]],
    [
      "a file of another owner into new directories",
      { owner: "12:13" },
      [["a.txt", "/p/q/x"]],
      ["p d755 12:13", "p/q d755 12:13", "p/q/x 640 12:13 one"],
    ],
    [
      "a directory of another owner into new directories",
      { owner: "12:13" },
      [["empty", "/p/q", true]],
      ["p d755 0:0", "p/q d755 12:13"],
    ],
    [
      "a file over another",
      null,
      [
        ["a.txt", "/x"],
        ["b.txt", "/x"],
      ],
      ["x 644 0:0 two"],
    ],
  ])("copies %s", async (_, how, files, expected) => {
    const fixture = open();
    expect(await copied(fixture, [...FILES, ...OWNED], files, how ?? { owner: "0:0" })).toEqual(expected);
  });

  const links = [
    { name: "l", flag: "2", target: "../../../real" },
    { name: "d", flag: "2", target: "/far/away" },
    { name: "real", body: "old" },
  ];

  test("writes through links at the destination, which lead nowhere but into the files", async () => {
    const fixture = open();
    const into = await copiedTo(
      fixture,
      FILES,
      [
        ["a.txt", "/l"],
        ["b.txt", "/d", false, "new"],
      ],
      { onto: links },
    );
    expect(shown(into)).toEqual([
      "d -> /far/away",
      "far d755 0:0",
      "far/away d755 0:0",
      "far/away/new 644 0:0 two",
      "l -> ../../../real",
      "real 640 5:6 one",
    ]);
  });

  test("replaces a link in the directory that gets a file, or in a copied directory", async () => {
    const fixture = open();
    const into = await copiedTo(
      fixture,
      FILES,
      [
        ["a.txt", "/", false, "l"],
        ["bin", "/"],
      ],
      { onto: [...links, { name: "link", flag: "2", target: "real" }] },
    );
    expect(shown(into).filter((line) => /^(l|link|real) /.test(line))).toEqual([
      "l 640 5:6 one",
      "link -> run",
      "real 644 0:0 old",
    ]);
  });

  test("copies the directories above a file, as far as they are missing", async () => {
    const entries = [
      { name: "a/", flag: "5", mode: 0o711, uid: 3 },
      { name: "a/b/", flag: "5", mode: 0o700, uid: 4 },
      { name: "a/b/f", body: "x" },
      { name: "a/c/", flag: "5", mode: 0o750 },
    ];
    const files: [string, string, boolean, string][] = [
      ["a/b/f", "/to", true, "a/b/f"],
      ["a/c", "/to", true, "c"],
    ];
    expect(await copied(open(), entries, files, {}, { parents: true })).toEqual([
      "to d755 0:0",
      "to/a d711 3:0",
      "to/a/b d700 4:0",
      "to/a/b/f 644 0:0 x",
      "to/c d750 0:0",
    ]);
  });

  test.each<[string, Partial<content.ModeChange>[], string[]]>([
    ["u+x", [{ bits: 0o100 }], ["f 744", "x 755", "y d755"]],
    ["a=rX", [{ keeps: 0, bits: 0o444, executable: 0o111 }], ["f 444", "x 555", "y d555"]],
    [
      "g=u,o-r",
      [
        { keeps: 0o7707, like: 6, who: 0o070 },
        { removes: true, bits: 0o004 },
      ],
      ["f 660", "x 771", "y d771"],
    ],
  ])("changes modes by %s", async (_, changes, expected) => {
    const entries = [
      { name: "f", body: "", mode: 0o644 },
      { name: "x", body: "", mode: 0o755 },
      { name: "y/", flag: "5", mode: 0o755 },
    ];
    const got = await copied(open(), entries, [["", "/"]], { mode: changes.map((change) => ({ ...SAME, ...change })) });
    expect(got.map((line) => line.replace(/ 0:0.*/, ""))).toEqual(expected);
  });

  test.each<[string, string[], string[]]>([
    ["of a directory, in it", ["*.txt", "sub"], ["other"]],
    ["with exceptions", ["*", "!sub/b.txt"], ["sub", "sub/b.txt"]],
  ])("leaves out what is excluded %s", async (_, excluded, expected) => {
    const entries = ["a.txt", "other", "sub/b.txt"].map((name) => ({ name: `d/${name}`, body: "" }));
    const got = await copied(open(), entries, [["d", "/"]], {}, { excluded });
    expect(got.map((line) => line.split(" ")[0])).toEqual(expected);
  });

  test("leaves out what counts as missing", async () => {
    const without = ["a.txt", "bin/run"];
    const got = await copied(open(), FILES, [["", "/"]], {}, { without });
    expect(got.map((line) => line.split(" ")[0])).toEqual(["b.txt", "bin", "bin/hard", "bin/link", "empty", "to-bin"]);
  });

  test("copies a file of which one name counts as missing, and links its other names to the copy", async () => {
    const entries = [
      { name: "d/a", body: "one", mode: 0o640 },
      { name: "d/b", flag: "1", target: "d/a", mode: 0o640 },
      { name: "d/c", flag: "1", target: "d/a", mode: 0o640 },
    ];
    const fixture = open();
    const into = await copiedTo(fixture, entries, [["d", "/x", true]], { without: ["d/a"] });
    expect(shown(into)).toEqual(["x d755 0:0", "x/b 640 0:0 one", "x/c 640 0:0 one"]);
    expect(into.linkStatus("/x/c").links).toBe(2);
  });

  test("a copy replaces what is of another kind", async () => {
    const entries = [
      { name: "from/lib/f", body: "new" },
      { name: "from/file", body: "new" },
      { name: "to/usr/", flag: "5" },
      { name: "to/lib", flag: "2", target: "usr" },
      { name: "to/file/old", body: "" },
    ];
    const files: [string, string, boolean?][] = [
      ["to", "/r", true],
      ["from", "/r"],
    ];
    expect(await copied(open(), entries, files, {})).toEqual([
      "r d755 0:0",
      "r/file 644 0:0 new",
      "r/lib d755 0:0",
      "r/lib/f 644 0:0 new",
      "r/usr d644 0:0",
    ]);
  });

  test("unpacks a tar, and only a tar", async () => {
    const inner = rawTar([{ name: "in/side", body: "x", uid: 9 }]);
    const entries = [
      { name: "t", body: inner },
      { name: "plain", body: "not a tar", uid: 4 },
    ];
    const files: [string, string][] = [
      ["t", "/u/t"],
      ["plain", "/u/plain"],
    ];
    expect(await copied(open(), entries, files, { owner: "0:0" }, { unpack: "/u" })).toEqual([
      "u d755 0:0",
      "u/in d755 0:0",
      "u/in/side 644 9:0 x",
      "u/plain 644 0:0 not a tar",
    ]);
  });

  test.each([
    [false, "0:0"],
    [true, "12:13"],
  ])("unpacks a tar into directories of the copy's owner: %s", async (ownsPlace, owner) => {
    const entries = [{ name: "t", body: rawTar([{ name: "in/side", body: "x", uid: 9 }]) }];
    const how = { unpack: "/p/q", ownsPlace };
    expect(await copied(open(), entries, [["t", "/p/q/t"]], { owner: "12:13" }, how)).toEqual([
      `p d755 ${owner}`,
      `p/q d755 ${owner}`,
      "p/q/in d755 0:0",
      "p/q/in/side 644 9:0 x",
    ]);
  });

  test("makes files of given bytes", async () => {
    const fixture = open();
    const into = await fixture.mount(undefined, true);
    const given = [{ to: { path: "/etc/motd" }, content: new TextEncoder().encode("hello\n") }];
    await fixture.perform({
      tag: "copy",
      val: { into: viewOf(into.id), what: { tag: "given", val: given }, mode: [], limits: ROOMY },
    });
    expect(shown(into.files)).toEqual(["etc d755 0:0", "etc/motd 644 0:0 hello\n"]);
  });

  test.each<[string[], string[]]>([
    [["a.txt"], ["a.txt"]],
    [
      ["./a.txt", "bin/"],
      ["a.txt", "bin/"],
    ],
    [["*.txt"], ["a.txt", "b.txt"]],
    [["*"], ["a.txt", "b.txt", "bin/", "empty/", "to-bin/"]],
    [["*a*.*x*"], ["a.txt"]],
    [
      ["?.txt", "b*"],
      ["a.txt", "b.txt", "b.txt", "bin/"],
    ],
    [["b*/r[a-z]n"], ["bin/run"]],
    [["[^a].txt"], ["b.txt"]],
    [["\\a.txt"], ["a.txt"]],
    [["."], ["/"]],
    [["to-bin"], ["to-bin/"]],
    [["to*"], ["to-bin/"]],
    [["b*/[lr]*"], ["bin/link", "bin/run"]],
    [["*/nothing"], []],
    [["[]a]"], []],
  ])("chooses %s", async (patterns, expected) => {
    const fixture = open();
    const { files } = await chosen(fixture, await source(fixture, FILES), patterns);
    expect(files.map(({ path, directory }) => `${path}${directory ? "/" : ""}`)).toEqual(expected);
  });

  test.each<[string[], Partial<Chosing>, string[]]>([
    [["**/*n*"], { anyDepth: true }, ["bin/", "empty/none", "to-bin/"]],
    [["**/r?n"], { anyDepth: true }, ["bin/run"]],
    [["**/r?n"], {}, ["bin/run"]],
    [["*"], { excluded: ["*.txt", "bin"] }, ["empty/", "to-bin/"]],
    [["*in/*"], { excluded: ["bin/run"] }, ["bin/hard", "bin/link"]],
  ])("chooses %s with %j", async (patterns, how, expected) => {
    const fixture = open();
    const entries = [...FILES, { name: "empty/none", body: "" }];
    const { files } = await chosen(fixture, await source(fixture, entries), patterns, how);
    expect(files.map(({ path, directory }) => `${path}${directory ? "/" : ""}`)).toEqual(expected);
  });

  test("tells which pattern a file is for", async () => {
    const fixture = open();
    const { files } = await chosen(fixture, await source(fixture, FILES), ["no*", "*.txt", "bin"]);
    expect(files.map(({ path, pattern }) => [path, pattern])).toEqual([
      ["a.txt", 1],
      ["b.txt", 1],
      ["bin", 2],
    ]);
  });

  test("cannot choose what is not there, or counts as missing", async () => {
    const fixture = open();
    const from = await source(fixture, FILES);
    for (const [path, without] of [
      ["none", []],
      ["bin/run", ["bin"]],
      ["to-bin/run", ["bin/run"]],
      ["to-bin/run", ["to-bin/run"]],
      ["to-*", ["bin"]],
    ] as const) {
      await expect(chosen(fixture, from, [path], { without: [...without] })).rejects.toSatisfy(
        (error) => error instanceof HostFailure && error.failure.tag === "no-such",
      );
    }
  });

  test("digests names, modes and bytes, but no times, and owners only if asked for", async () => {
    const fixture = open();
    const entry = { name: "d/f", body: "one", mode: 0o644 };
    const digest = async (one: RawEntry, owners = false): Promise<string> =>
      (await chosen(fixture, await source(fixture, [one]), ["d"], { owners })).digest;
    const first = await digest(entry);
    expect(await digest({ ...entry, uid: 4, mtime: 99 })).toBe(first);
    for (const other of [{ name: "d/g" }, { body: "two" }, { mode: 0o600 }]) {
      expect(await digest({ ...entry, ...other })).not.toBe(first);
    }
    expect(await digest({ ...entry, mtime: 99 }, true)).toBe(await digest(entry, true));
    for (const other of [{ uid: 4 }, { gid: 4 }]) {
      expect(await digest({ ...entry, ...other }, true)).not.toBe(await digest(entry, true));
    }
  });

  test.each<[string, RawEntry[], string, string[]]>([
    ["a symbolic link", [{ name: "l1", flag: "2", target: "other" }], "l*", []],
    ["a link to a directory", [{ name: "l1", flag: "2", target: "." }], "l*", []],
    ["a hard link", [{ name: "zz", flag: "1", target: "other" }], "z*", []],
    ["a directory with a hard link", [{ name: "z/z", flag: "1", target: "other" }], "z*", []],
    ["a directory without a file's first name", [{ name: "zz", flag: "1", target: "other" }], ".", ["other"]],
  ])("the digest of %s depends on the bytes that are copied", async (_, links, pattern, without) => {
    const fixture = open();
    const [one, same, two] = await Promise.all(
      ["one", "one", "two"].map(async (body) => {
        const from = await source(fixture, [{ name: "other", body }, ...links]);
        return (await chosen(fixture, from, [pattern], { without })).digest;
      }),
    );
    expect(same).toBe(one);
    expect(two).not.toBe(one);
  });

  test("reads a file up to a limit", async () => {
    const fixture = open();
    // No driver has this device, so opening it would be another error.
    const device = { name: "device", flag: "3", major: 4095, minor: 77 };
    const view = viewOf(await source(fixture, [...FILES, device]));
    const read = (path: string, limit: number): Promise<Outcome> =>
      fixture.perform({ tag: "read-file", val: { at: { view, path, follow: true }, limit } });
    expect(await read("/to-bin/link", 2)).toEqual({ tag: "bytes", val: expect.anything() });
    for (const [path, limit, tag] of [
      ["/a.txt", 2, "too-large"],
      ["/bin", 9, "wrong-kind"],
      ["/device", 9, "wrong-kind"],
      ["/none", 9, "call"],
    ] as const) {
      await expect(read(path, limit)).rejects.toSatisfy(
        (error) => error instanceof HostFailure && error.failure.tag === tag,
      );
    }
  });

  test("reads a part of a file, whose limit is the part's", async () => {
    const fixture = open();
    const body = "0123456789".repeat(200_000);
    const view = viewOf(await source(fixture, [{ name: "long", body }]));
    const read = async (offset: bigint, length: bigint, limit = 1_500_000): Promise<string> => {
      const at = { view, path: "/long", follow: true };
      const outcome = await fixture.perform({ tag: "read-file", val: { at, limit, part: { offset, length } } });
      return outcome.tag === "bytes" ? new TextDecoder().decode(outcome.val) : outcome.tag;
    };
    for (const [offset, length] of [
      [0, 3],
      [7, 5],
      [524_287, 3],
      [600_001, 1_400_000],
      [1_999_998, 9],
      [2_000_000, 9],
      [3_000_000, 9],
      [5, 0],
    ] as const) {
      expect((await read(BigInt(offset), BigInt(length))) === body.slice(offset, offset + length)).toBe(true);
    }
    expect(await read(2n ** 62n, 2n ** 62n)).toBe("");
    expect(await read(1n, 4n, 4)).toBe("1234");
    await expect(read(1n, 5n, 4)).rejects.toSatisfy(
      (error) => error instanceof HostFailure && error.failure.tag === "too-large",
    );
  });

  test("describes a file, behind links, and the files in a directory, page by page", async () => {
    const fixture = open();
    const odd = [
      { name: "bin/device", flag: "3", major: 4095, minor: 77, mode: 0o600 },
      { name: "bin/\u00c3\u00bc", body: "umlaut", mtime: 12 },
    ];
    const view = viewOf(await source(fixture, [...FILES, ...odd]));
    const list = async (path: string, inside: boolean, after = "", limit = 9): Promise<engine.ListedFile[]> => {
      const at = { view, path, follow: true };
      const outcome = await fixture.perform({ tag: "list-files", val: { at, inside, after, limit } });
      if (outcome.tag !== "listed") throw new Error(outcome.tag);
      return outcome.val;
    };
    const plain = { group: 0, target: "", major: 0, minor: 0 };
    const run = { ...plain, mode: 0o100755, owner: 7, size: 2n };
    expect(await list("/to-bin/link", false)).toMatchObject([{ name: "run", ...run }]);
    expect(await list("/a.txt", false)).toMatchObject([
      { name: "a.txt", mode: 0o100640, owner: 5, group: 6, size: 3n },
    ]);
    expect(await list("/", false)).toMatchObject([{ name: "", mode: 0o040755 }]);
    const all = await list("/to-bin", true);
    expect(all).toMatchObject([
      { ...plain, name: "device", mode: 0o020600, major: 4095, minor: 77 },
      { name: "hard", ...run },
      { ...plain, name: "link", target: "run", size: 3n },
      { name: "run", ...run },
      { ...plain, name: "\u00fc", mode: 0o100644, size: 6n, modified: 12_000_000_000n },
    ]);
    expect(await list("/to-bin", true, "", 2)).toEqual(all.slice(0, 2));
    expect(await list("/bin", true, "hard", 2)).toEqual(all.slice(2, 4));
    expect(await list("/bin", true, "\u00fc")).toEqual([]);
    expect(await list("/empty", true)).toEqual([]);
    for (const [path, inside, error] of [
      ["/none", false, "ENOENT"],
      ["/none", true, "ENOENT"],
      ["/a.txt/x", false, "ENOTDIR"],
      ["/a.txt", true, "ENOTDIR"],
    ] as const) {
      const refused = { failure: { tag: "call", val: { call: "lstat", error, inside: true, path } } };
      await expect(list(path, inside)).rejects.toMatchObject(refused);
    }
  });

  test("describes no file outside of the files that are looked at", async () => {
    const fixture = open();
    const links = [
      { name: "up", flag: "2", target: "../../../../a.txt" },
      { name: "out", flag: "2", target: "/etc/hostname-of-the-machine" },
      { name: "root", flag: "2", target: "/.." },
    ];
    const view = viewOf(await source(fixture, [...FILES, ...links]));
    const list = (path: string, inside: boolean): Promise<Outcome> =>
      fixture.perform({ tag: "list-files", val: { at: { view, path, follow: true }, inside, after: "", limit: 9 } });
    expect(await list("/up", false)).toMatchObject({ val: [{ name: "a.txt", owner: 5 }] });
    expect(await list("/../../a.txt", false)).toMatchObject({ val: [{ name: "a.txt", owner: 5 }] });
    await expect(list("/out", false)).rejects.toMatchObject({ failure: { tag: "call", val: { error: "ENOENT" } } });
    const inRoot = (await list("/root", true)) as { val: engine.ListedFile[] };
    expect(inRoot.val.map(({ name }) => name)).toEqual([
      "a.txt",
      "b.txt",
      "bin",
      "empty",
      "out",
      "root",
      "to-bin",
      "up",
    ]);
  });
}

async function source(fixture: CopyingFixture, entries: RawEntry[]): Promise<string> {
  return (await fixture.mount(await fixture.layer(rawTar(entries)), true)).id;
}

interface Chosing {
  without: string[];
  excluded: string[];
  anyDepth: boolean;
  owners: boolean;
}

async function chosen(
  fixture: CopyingFixture,
  from: string,
  patterns: string[],
  { without = [], excluded = [], anyDepth = false, owners = false }: Partial<Chosing> = {},
): Promise<engine.Chosen> {
  const missing = { ignored: without, patterns: excluded, byRoot: false };
  const val = { from: viewOf(from), patterns, missing, anyDepth, owners };
  return ((await fixture.perform({ tag: "choose", val })) as { val: engine.Chosen }).val;
}

/** What is copied, the path, whether that is new, and the name below it. */
type Pair = [from: string, to: string, fresh?: boolean, name?: string];

interface Leaving {
  without: string[];
  excluded: string[];
  unpack: string;
  parents: boolean;
  ownsPlace: boolean;
  /** What is there already. */
  onto: RawEntry[];
}

const SAME = { removes: false, keeps: 0o7777, bits: 0, executable: 0, who: 0 };

function set(mode: number): content.ModeChange {
  return { ...SAME, keeps: 0, bits: mode };
}

/** Copies, and tells what is there afterwards. */
async function copied(
  fixture: CopyingFixture,
  entries: RawEntry[],
  files: Pair[],
  how: Partial<content.Copy>,
  leaving: Partial<Leaving> = {},
): Promise<string[]> {
  return shown(await copiedTo(fixture, entries, files, leaving, how));
}

async function copiedTo(
  fixture: CopyingFixture,
  entries: RawEntry[],
  files: Pair[],
  { without = [], excluded = [], unpack, parents = false, ownsPlace = false, onto }: Partial<Leaving> = {},
  how: Partial<content.Copy> = {},
): Promise<CopiedFiles> {
  const from = viewOf(await source(fixture, entries));
  const into = await fixture.mount(onto && (await fixture.layer(rawTar(onto))), true);
  const list = files.map(([path, to, fresh = false, name]) => {
    return { path, to: name === undefined ? { path: to } : { path: to, name }, fresh };
  });
  const missing = { ignored: without, patterns: excluded, byRoot: false };
  const copies = { from, files: list, missing, parents, ownsPlace, ...(unpack === undefined ? {} : { unpack }) };
  const what = { tag: "files" as const, val: copies };
  await fixture.perform({ tag: "copy", val: { into: viewOf(into.id), what, limits: ROOMY, mode: [], ...how } });
  return into.files;
}

function viewOf(container: string): { container: string; places: never[] } {
  return { container, places: [] };
}

/** Every file but its times; links by their targets. */
function shown(files: CopiedFiles, directory = ""): string[] {
  return files.list(`/${directory}`).flatMap((name) => {
    const path = directory === "" ? name : `${directory}/${name}`;
    const { kind, mode, uid, gid, target } = files.linkStatus(`/${path}`);
    if (kind === "symlink") return [`${path} -> ${target}`];
    const about = `${path} ${kind === "directory" ? "d" : ""}${mode.toString(8)} ${uid}:${gid}`;
    if (kind === "directory") return [about, ...shown(files, path)];
    return [`${about} ${new TextDecoder().decode(files.read(`/${path}`))}`];
  });
}
