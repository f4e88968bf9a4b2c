// Copies between files of containers, as a build asks for them: the same cases for every host.

import { expect, test } from "vitest";
import type { Outcome, content, engine } from "../../../hosts/shared/host.js";
import type { FileSystem } from "../../../hosts/simulated/files/file-system.js";
import { HostFailure } from "../../../hosts/shared/index.js";
import { MANY_HOLES, rawTar, type RawEntry } from "../archives/tar.js";

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
    ["a directory without contents", null, [["empty", "/e/f", true]], ["e d755 0:0", "e/f d755 0:0"]],
    ["for another owner", { owner: "12:13" }, [["a.txt", "/x"]], ["x 640 12:13 one"]],
    ["with its own owner", {}, [["a.txt", "/x"]], ["x 640 5:6 one"]],
    ["with another mode", { owner: "0:0", mode: 0o600 }, [["a.txt", "/x"]], ["x 600 0:0 one"]],
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
    expect(await copied(fixture, FILES, files, how ?? { owner: "0:0" })).toEqual(expected);
  });

  test("leaves out what counts as missing", async () => {
    const without = ["a.txt", "bin/run"];
    const got = await copied(open(), FILES, [["", "/"]], {}, without);
    expect(got.map((line) => line.split(" ")[0])).toEqual(["b.txt", "bin", "bin/hard", "bin/link", "empty", "to-bin"]);
  });

  test("copies a file of which one name counts as missing, and links its other names to the copy", async () => {
    const entries = [
      { name: "d/a", body: "one", mode: 0o640 },
      { name: "d/b", flag: "1", target: "d/a", mode: 0o640 },
      { name: "d/c", flag: "1", target: "d/a", mode: 0o640 },
    ];
    const fixture = open();
    const into = await copiedTo(fixture, entries, [["d", "/x", true]], {}, ["d/a"]);
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
    expect(await copied(open(), entries, files, { owner: "0:0" }, [], "/u")).toEqual([
      "u d755 0:0",
      "u/in d755 0:0",
      "u/in/side 644 9:0 x",
      "u/plain 644 0:0 not a tar",
    ]);
  });

  test("makes files of given bytes", async () => {
    const fixture = open();
    const into = await fixture.mount(undefined, true);
    const given = [{ to: "/etc/motd", content: new TextEncoder().encode("hello\n") }];
    await fixture.perform({
      tag: "copy",
      val: { into: viewOf(into.id), what: { tag: "given", val: given }, holes: MANY_HOLES },
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
      await expect(chosen(fixture, from, [path], [...without])).rejects.toSatisfy(
        (error) => error instanceof HostFailure && error.failure.tag === "no-such",
      );
    }
  });

  test("digests names, modes and bytes, but neither owners nor times", async () => {
    const fixture = open();
    const entry = { name: "d/f", body: "one", mode: 0o644 };
    const digest = async (one: RawEntry, patterns = ["d"]): Promise<string> =>
      (await chosen(fixture, await source(fixture, [one]), patterns)).digest;
    const first = await digest(entry);
    expect(await digest({ ...entry, uid: 4, mtime: 99 })).toBe(first);
    for (const other of [{ name: "d/g" }, { body: "two" }, { mode: 0o600 }]) {
      expect(await digest({ ...entry, ...other })).not.toBe(first);
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
        return (await chosen(fixture, from, [pattern], without)).digest;
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
}

async function source(fixture: CopyingFixture, entries: RawEntry[]): Promise<string> {
  return (await fixture.mount(await fixture.layer(rawTar(entries)), true)).id;
}

async function chosen(
  fixture: CopyingFixture,
  from: string,
  patterns: string[],
  without: string[] = [],
): Promise<engine.Chosen> {
  const outcome = await fixture.perform({ tag: "choose", val: { from: viewOf(from), patterns, without } });
  return (outcome as { val: engine.Chosen }).val;
}

/** Copies, and tells what is there afterwards. */
async function copied(
  fixture: CopyingFixture,
  entries: RawEntry[],
  files: [string, string, boolean?][],
  how: Partial<content.Copy>,
  without: string[] = [],
  unpack?: string,
): Promise<string[]> {
  return shown(await copiedTo(fixture, entries, files, how, without, unpack));
}

async function copiedTo(
  fixture: CopyingFixture,
  entries: RawEntry[],
  files: [string, string, boolean?][],
  how: Partial<content.Copy>,
  without: string[] = [],
  unpack?: string,
): Promise<CopiedFiles> {
  const from = viewOf(await source(fixture, entries));
  const into = await fixture.mount(undefined, true);
  const list = files.map(([path, to, fresh = false]) => ({ path, to, fresh }));
  const copies = { from, files: list, without, ...(unpack === undefined ? {} : { unpack }) };
  const what = { tag: "files" as const, val: copies };
  await fixture.perform({ tag: "copy", val: { into: viewOf(into.id), what, holes: MANY_HOLES, ...how } });
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
