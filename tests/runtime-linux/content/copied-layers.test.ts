// Copies whose files are put into a layer, as a build does: most of them are only a tar before that. Needs root.

import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { content, engine, processes } from "../../../hosts/shared/host.js";
import { limitsOf } from "../../../hosts/streams/tar/index.js";
import { CopiedTar, NotPlain } from "../../../runtime-linux/content/files/copied-tar.js";
import type { View } from "../../../runtime-linux/content/files/view.js";
import { inPlace } from "../../../runtime-linux/content/threads/jobs.js";
import { libc } from "../../../runtime-linux/kernel/libc.js";
import { linuxFiles } from "../../simulated/linux-files.js";
import { copyingTests } from "../../support/copying/copying.js";
import { memoryDirectory } from "../../support/memory-directory.js";
import { ROOMY, rawTar, type RawEntry } from "../../support/archives/tar.js";
import { describeUnless } from "../../support/on-engines.js";
import { chainOf, failed, missing, mountsBelow, openFixture, tree, type Fixture } from "./content-fixture.js";

let fixture: Fixture;
/** All jobs so far. */
let jobs: string[];
beforeEach(() => {
  jobs = [];
  fixture = openFixture(
    undefined,
    (tools) => {
      const workers = inPlace(tools);
      return { ...workers, run: (name, ...rest) => (jobs.push(name), workers.run(name, ...rest)) };
    },
    libc,
    true,
  );
});
afterEach(() => fixture.close());

const FILES: RawEntry[] = [
  { name: "d/", flag: "5", mode: 0o750, uid: 3, gid: 4, mtime: 99 },
  { name: "d/f", body: "one", mode: 0o4755, uid: 5, gid: 6, mtime: 77 },
  { name: "d/l", flag: "2", target: "f" },
  { name: "d/e/", flag: "5" },
];
const BELOW: RawEntry[] = [
  { name: "app/", flag: "5", mode: 0o711, uid: 8, gid: 9, mtime: 55 },
  { name: "app/old", body: "old" },
  { name: "app/f", body: "older" },
  { name: "app/to", flag: "2", target: "/elsewhere" },
  { name: "elsewhere/", flag: "5", mode: 0o700 },
];

describeUnless(missing, "copies on Linux that become layers", () => {
  copyingTests(() => {
    /** Where the next copy goes, by the container that it names: each layer is seen in a new one. */
    const now = new Map<string, Place>();
    return {
      layer: (tar) => fixture.layer(tar),
      mount: async (chain, bare) => {
        const { id, rootfs } = await fixture.mount(chain, bare);
        now.set(id, { id, chain, rootfs });
        const files = (): ReturnType<typeof linuxFiles> => linuxFiles(now.get(id)!.rootfs);
        return {
          id,
          files: {
            list: (path) => files().list(path),
            linkStatus: (path) => files().linkStatus(path),
            read: (path) => files().read(path),
          },
        };
      },
      perform: async (command) => {
        if (command.tag !== "copy") return fixture.perform(command);
        const { container } = command.val.into;
        const place = now.get(container)!;
        const outcome = await fixture.perform({ ...command, val: { ...command.val, into: view(place.id) } });
        const chain = (await made(place.id, place.chain)) ?? place.chain;
        const { id, rootfs } = await fixture.mount(chain, true);
        await fixture.perform({ tag: "drop-container", val: place.id });
        now.set(container, { id, chain, rootfs });
        return outcome;
      },
    };
  });
});

describe("the tar of a copy", () => {
  const parent = `${"p".repeat(250)}/`.repeat(7);
  const link = { size: 0, holes: 0, target: "t", uid: 0, gid: 0, mode: 0o777, major: 0, minor: 0, mtime: 0n };

  /** How many names it takes, of at most so many. */
  function taken(parents: string, most: number): number {
    const directory = mkdtempSync(join(memoryDirectory(), "coracle-names-"));
    const free = (): never => {
      throw Object.assign(new Error("ENOENT"), { code: "ENOENT" });
    };
    const tar = new CopiedTar({ open: free } as unknown as View, join(directory, "tar"), limitsOf(ROOMY));
    let count = 0;
    try {
      for (; count < most; count++)
        tar.entry({ ...link, type: "symlink", name: `${parents}${count}`, xattrs: new Map() });
    } catch (error) {
      if (!(error instanceof NotPlain)) throw error;
    } finally {
      tar.close();
      rmSync(directory, { recursive: true });
    }
    return count;
  }

  test("takes many names, but fewer that are long", () => {
    expect(taken("", 20_000)).toBe(20_000);
    expect(taken(parent, 20_000)).toBeLessThan(10_000);
  });
});

interface Place {
  id: string;
  chain: string | undefined;
  rootfs: string;
}

describeUnless(missing, "a copy that is only a tar", () => {
  test("becomes the layer, with the attributes of the directories that it is put in", async () => {
    const below = await fixture.layer(rawTar(BELOW));
    const { id } = await fixture.mount(below, true);
    await copy(id, "d", "/app/new/deep");
    expect(readdirSync(fixture.paths.upper(id))).toEqual([]);
    const chain = (await made(id, below))!;
    expect(jobs.slice(-2)).toEqual(["copy", "layer"]);
    expect(existsSync(fixture.paths.copiedTar(id))).toBe(false);
    expect(tree(fixture.diff(chain))).toEqual(
      ["", "/new", "/new/deep", "/new/deep/e", "/new/deep/f", "/new/deep/l"].map((name) => `app${name}`),
    );
    const { rootfs } = await fixture.mount(chain);
    const about = (name: string): unknown[] => {
      const { mode, uid, gid, mtimeMs } = lstatSync(join(rootfs, name));
      return [(mode & 0o7777).toString(8), uid, gid, Math.abs(mtimeMs - Date.now()) < 60_000 ? "now" : mtimeMs];
    };
    expect(["app", "app/new", "app/new/deep", "app/new/deep/f"].map(about)).toEqual([
      ["711", 8, 9, "now"],
      ["755", 0, 0, "now"],
      ["755", 0, 0, "now"],
      ["4755", 5, 6, 77_000],
    ]);
    expect(readFileSync(join(rootfs, "app/old"), "utf8")).toBe("old");
  });

  test.each<[string, string, boolean]>([
    ["d", "/app/in/new", true],
    ["e", "/app", false],
  ])("of %s to %s leaves directories that it adds nothing to their times", async (from, to, isTar) => {
    const inner: RawEntry = { name: "app/in/", flag: "5", mtime: 44 };
    const below = await fixture.layer(rawTar([...BELOW, inner]));
    const { id } = await fixture.mount(below, true);
    await copy(id, from, to, false, [...FILES, { name: "e/in/f", body: "" }, { name: "e/new", body: "" }]);
    expect(existsSync(fixture.paths.copiedTar(id))).toBe(isTar);
    const { rootfs } = await fixture.mount(await made(id, below));
    const { mtimeMs } = lstatSync(join(rootfs, "app"));
    if (isTar) expect(mtimeMs).toBe(55_000);
    else expect(Math.abs(mtimeMs - Date.now())).toBeLessThan(60_000);
    expect(Math.abs(lstatSync(join(rootfs, "app/in")).mtimeMs - Date.now())).toBeLessThan(60_000);
  });

  test.each<[string, string, string, string[]]>([
    ["a file over another", "d/f", "/app/f", ["app", "app/f"]],
    ["a directory over another", "d", "/app", ["app", "app/e", "app/f", "app/l"]],
    ["through a link", "d", "/app/to", ["elsewhere", "elsewhere/e", "elsewhere/f", "elsewhere/l"]],
  ])("is enough for %s", async (_, from, to, expected) => {
    const below = await fixture.layer(rawTar(BELOW));
    const { id } = await fixture.mount(below, true);
    await copy(id, from, to, false);
    expect(existsSync(fixture.paths.copiedTar(id))).toBe(true);
    expect(tree(fixture.diff((await made(id, below))!))).toEqual(expected);
  });

  test.each<[string, RawEntry[], RawEntry[]]>([
    ["a directory over a file", [{ name: "d/old/", flag: "5" }], BELOW],
    ["a file over a directory", [{ name: "d/old", body: "x" }], [{ name: "app/old/in", body: "" }]],
    ["a directory over a link", [{ name: "d/to/x", body: "x" }], BELOW],
    [
      "a hard link",
      [
        { name: "d/a", body: "x" },
        { name: "d/b", flag: "1", target: "d/a" },
      ],
      [],
    ],
    ["a device", [{ name: "d/pipe", flag: "6" }], []],
    ["the name of a whiteout", [{ name: "d/.wh.old", body: "" }], BELOW],
  ])("is not enough for %s", async (_, files, onto) => {
    const { id } = await fixture.mount(await fixture.layer(rawTar(onto)), true);
    await copy(id, "d", "/app", false, files);
    expect(existsSync(fixture.paths.copiedTar(id))).toBe(false);
    expect(readdirSync(fixture.paths.upper(id))).not.toEqual([]);
  });

  test("is not enough for a directory that takes over its group, or an owner that no file can have", async () => {
    const onto = await fixture.layer(rawTar([{ name: "app/", flag: "5", mode: 0o2755, gid: 7 }]));
    const { id, rootfs } = await fixture.mount(onto, true);
    await copy(id, "d", "/app/new/deep");
    expect([lstatSync(join(rootfs, "app/new")).gid, existsSync(fixture.paths.copiedTar(id))]).toEqual([7, false]);
    const inner = rawTar([{ name: "f", body: "", pax: { uid: "4294967295" } }]);
    const other = await fixture.mount(undefined, true);
    await copyFrom(await source([{ name: "t", body: inner }]), other.id, "t", "/x/", false, "/x");
    expect(tree(fixture.paths.upper(other.id))).toEqual(["x", "x/f"]);
  });

  test("becomes files as soon as a command is about them", async () => {
    const commands: ((id: string) => Promise<unknown>)[] = [
      (id) => fixture.perform({ tag: "stat", val: { view: view(id), path: "/x/f", follow: true } }),
      (id) => fixture.perform({ tag: "measure", val: id }),
      (id) =>
        fixture.perform({ tag: "read-file", val: { at: { view: view(id), path: "/x/f", follow: true }, limit: 9 } }),
      (id) => commit(id, false),
      (id) => commit(id, true, ["/mnt"]),
      (id) => copy(id, "d", "/y"),
      (id) => fixture.content.ready(launchOf(`{"root":"${id}"}`), new AbortController().signal),
    ];
    for (const command of commands) {
      const { id } = await fixture.mount(undefined, true);
      await copy(id, "d", "/x");
      await command(id);
      expect(tree(fixture.paths.upper(id)).filter((name) => name.startsWith("x"))).toEqual(["x", "x/e", "x/f", "x/l"]);
      expect(existsSync(fixture.paths.copiedTar(id))).toBe(false);
    }
  });

  test.each(["unmount", "drop-container"] as const)("becomes files before its source goes by %s", async (tag) => {
    const from = await source(FILES);
    const { id } = await fixture.mount(undefined, true);
    await copyFrom(from, id, "d", "/x", true);
    await fixture.perform({ tag, val: from });
    expect(existsSync(fixture.paths.copiedTar(id))).toBe(false);
    await fixture.perform({ tag: "drop-container", val: from });
    const at = { view: view(id), path: "/x/f", follow: true };
    expect(await fixture.perform({ tag: "read-file", val: { at, limit: 9 } })).toMatchObject({
      val: Buffer.from("one"),
    });
  });

  test("tells whoever asks for its files that there was no room for them when its source went", async () => {
    const from = await source([{ name: "d/large", body: "x".repeat(3 << 20) }]);
    const { id } = await fixture.mount(undefined, true);
    await copyFrom(from, id, "d", "/x", true);
    const work = fixture.paths.upper(id);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", join(fixture.paths.rootfs(id))]);
    await fixture.perform({ tag: "drop-container", val: from });
    expect(tree(work)).toEqual([]);
    const error = { tag: "call", val: { call: "write", path: "/x/large", inside: true, error: "ENOSPC" } };
    for (let i = 0; i < 2; i++) expect(await failed(commit(id, i > 0))).toEqual(error);
  });

  test("stays a tar while others are launched", async () => {
    const { id } = await fixture.mount(undefined, true);
    await copy(id, "d", "/x");
    await fixture.content.ready(launchOf("{}"), new AbortController().signal);
    expect(readdirSync(fixture.paths.upper(id))).toEqual([]);
  });

  test("of nothing is an empty layer", async () => {
    const { id } = await fixture.mount(await fixture.layer(rawTar(BELOW)), true);
    await copy(id, "d/e", "/app", false);
    expect(await commit(id)).toMatchObject({ empty: true, size: 0n });
  });

  test("goes with its container", async () => {
    const { id } = await fixture.mount(undefined, true);
    await copy(id, "d", "/x");
    await fixture.perform({ tag: "unmount", val: id });
    await fixture.perform({ tag: "drop-container", val: id });
    expect(readdirSync(fixture.paths.containers()).filter((name) => name === id)).toEqual([]);
    expect(await commit(id)).toMatchObject({ empty: true });
  });

  test("is found by the next engine as a container to drop", async () => {
    const { id } = await fixture.mount(undefined, true);
    await copy(id, "d", "/x");
    const next = openFixture(fixture.root);
    await next.content.sweep();
    expect(next.content.containers()).toContain(id);
    await next.perform({ tag: "drop-container", val: id });
    expect(next.content.containers()).not.toContain(id);
    expect(mountsBelow(fixture.paths.liveContainer(id))).toEqual([]);
  });

  test("gives no layer if its bytes are others by now", async () => {
    const { id } = await fixture.mount(undefined, true);
    await copy(id, "d", "/x");
    const tar = fixture.paths.copiedTar(id);
    writeFileSync(tar, readFileSync(tar, "latin1").replace("one", "two"), "latin1");
    expect(await failed(made(id))).toMatchObject({ tag: "mismatch" });
  });

  test("leaves nothing if there is no room for it, and tells the file", async () => {
    const from = await source([{ name: "d/large", body: "x".repeat(3 << 20) }]);
    const { id } = await fixture.mount(undefined, true);
    const place = fixture.paths.container(id);
    mkdirSync(place, { recursive: true });
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", place]);
    expect(await failed(copyFrom(from, id, "d", "/x"))).toEqual({
      tag: "call",
      val: { call: "write", path: "/x/large", inside: true, error: "ENOSPC" },
    });
    expect(readdirSync(place).sort()).toEqual(["nothing", "upper", "work"]);
  });
});

function view(container: string): { container: string; places: never[] } {
  return { container, places: [] };
}

async function source(files: RawEntry[]): Promise<string> {
  const { id } = await fixture.mount(undefined, true);
  const into = { view: view(id), path: "/", follow: true };
  await fixture.extract({ into, keepKinds: false, scratch: true, limits: ROOMY }, rawTar(files));
  return id;
}

async function copy(id: string, from: string, to: string, fresh = true, files = FILES): Promise<void> {
  await copyFrom(await source(files), id, from, to, fresh);
}

async function copyFrom(
  from: string,
  id: string,
  path: string,
  to: string,
  fresh = true,
  unpack?: string,
): Promise<void> {
  const missing = { ignored: [], patterns: [], byRoot: false };
  const how = { parents: false, ownsPlace: false, ...(unpack === undefined ? {} : { unpack }) };
  const copies = { from: view(from), files: [{ path, to: { path: to }, fresh }], missing, ...how };
  const what = { tag: "files" as const, val: copies };
  await fixture.perform({ tag: "copy", val: { into: view(id), what, mode: [], limits: ROOMY } });
}

async function commit(container: string, spent = true, mountPoints: string[] = []): Promise<engine.Committed> {
  const val: content.Commit = { archive: `of-${container}`, container, mountPoints, spent };
  const outcome = await fixture.perform({ tag: "commit", val });
  if (outcome.tag !== "committed") throw new Error(outcome.tag);
  return outcome.val;
}

/** Commits a container and makes a layer of it on a chain. Returns the new chain; undefined if nothing was copied. */
async function made(container: string, parent?: string): Promise<string | undefined> {
  const { diffId, empty } = await commit(container);
  if (empty) return undefined;
  const chain = chainOf(diffId, parent);
  const source = { tag: "archived" as const, val: { archive: `of-${container}`, path: "layer.tar" } };
  const below = parent === undefined ? {} : { parent };
  const layer = { chain, diffId, source, limits: ROOMY, anew: false, unflushed: false, ...below };
  await fixture.perform({ tag: "layer", val: layer });
  return chain;
}

function launchOf(spec: string): processes.Launch {
  return { spec: new TextEncoder().encode(spec) } as unknown as processes.Launch;
}
