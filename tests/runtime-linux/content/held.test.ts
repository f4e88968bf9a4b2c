// A build's context that stays a tar until its files are needed on disk: whoever reads it finds the same. Needs root.

import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { existsSync, lstatSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { content } from "../../../hosts/shared/host.js";
import { openHeld } from "../../../runtime-linux/content/held/held-files.js";
import { HeldTree } from "../../../runtime-linux/content/held/tree.js";
import { inPlace } from "../../../runtime-linux/content/threads/jobs.js";
import type { TarEntry } from "../../../hosts/streams/tar/index.js";
import { ROOMY, rawEntry, rawTar, type RawEntry } from "../../support/archives/tar.js";
import { describeUnless } from "../../support/on-engines.js";
import { failed, missing, mountsBelow, openFixture, tree, type Fixture } from "./content-fixture.js";

let fixture: Fixture;
beforeEach(() => {
  fixture = openFixture();
});
afterEach(() => fixture.close());

const FILES: RawEntry[] = [
  { name: "./", flag: "5", mode: 0o711, uid: 9 },
  { name: "b/c/deep", body: "deep", mode: 0o4755, uid: 5, gid: 6, mtime: 77 },
  { name: "a.txt", body: "one", mode: 0o640 },
  { name: "b/", flag: "5", mode: 0o1750, uid: 3, gid: 4, mtime: 99 },
  { name: "b-before", body: "" },
  { name: "/../näme", body: "two" },
  { name: "to-b", flag: "2", target: "/b/./c" },
  { name: "round", flag: "2", target: "round" },
  { name: "nowhere", flag: "2", target: "no/where" },
  { name: "large", body: "0123456789".repeat(30_000) },
];

describeUnless(missing, "the context of a build", () => {
  test.each<[string, RawEntry[], boolean]>([
    ["files, directories and links", FILES, true],
    ["nothing", [], true],
    ["a hard link", [...FILES, { name: "hard", flag: "1", target: "a.txt" }], false],
    ["two files of one name", [...FILES, { name: "a.txt", body: "other" }], false],
    ["a file where a directory was", [...FILES, { name: "b", body: "other" }], false],
    ["a file by way of a link", [...FILES, { name: "to-b/new", body: "new" }], false],
    ["a fifo", [...FILES, { name: "fifo", flag: "6" }], false],
    ["a directory that hands on its group", [{ name: "d/", flag: "5", mode: 0o2755, gid: 7 }, ...FILES], false],
  ])("is read the same before and after it is put on disk: %s", async (_, entries, isHeld) => {
    const context = await arrived(entries);
    expect(existsSync(fixture.paths.heldTar(context))).toBe(isHeld);
    const before = await readBy(context);
    expect(mountsBelow(fixture.root).includes(fixture.paths.rootfs(context))).toBe(!isHeld);
    await fixture.perform({ tag: "stat", val: at(context, "/") });
    expect(existsSync(fixture.paths.heldTar(context))).toBe(false);
    expect(await readBy(context)).toEqual(before);
  });

  test("a tar that is cut or too large fails at once, and nothing of it stays", async () => {
    const whole = rawTar(FILES);
    for (const [tar, unpacked] of [
      [whole.subarray(0, 3000), ROOMY.unpacked],
      [whole, 4096n],
    ] as const) {
      const context = await mounted();
      const failure = await failed(extract(context, tar, { ...ROOMY, unpacked }));
      expect(failure.tag).toBe(unpacked === 4096n ? "too-large" : "damaged");
      expect(existsSync(fixture.paths.heldTar(context))).toBe(false);
    }
  });

  test("goes while its files are put on disk", async () => {
    const context = await arrived(FILES);
    const put = fixture.perform({ tag: "stat", val: at(context, "/") }).catch(() => {});
    await fixture.perform({ tag: "drop-container", val: context });
    await put;
    expect(readdirSync(fixture.paths.containers())).toEqual([]);
    expect(mountsBelow(fixture.root)).toEqual([]);
    expect(fixture.content.containers()).toEqual([]);
  });

  test("fails as on disk if a name is too long for it", async () => {
    const path = "d/".repeat(5000);
    const failure = await failed(extract(await mounted(), rawTar([{ name: "long", flag: "5", pax: { path } }]), ROOMY));
    expect(failure).toMatchObject({ tag: "call", val: { inside: true, error: "ENAMETOOLONG" } });
  });

  test("fails with the name of the file if there is no room for it", async () => {
    const context = await mounted();
    fs.mkdirSync(fixture.paths.containers(), { recursive: true });
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=128k", "tmpfs", fixture.paths.containers()]);
    const failure = await failed(extract(context, rawTar(FILES), ROOMY));
    expect(failure).toEqual({ tag: "call", val: { call: "write", path: "/large", inside: true, error: "ENOSPC" } });
    expect(existsSync(fixture.paths.heldTar(context))).toBe(false);
  });

  test("has directories of one age, whether an entry names them or not, before and after it is put on disk", async () => {
    const now = vi.spyOn(Date, "now").mockReturnValue(1_600_000_000_500);
    const context = await arrived(FILES).finally(() => now.mockRestore());
    const ages = async (): Promise<number[]> => {
      const { id, rootfs } = await fixture.mount(undefined, true);
      const files = [{ path: "", to: { path: "/x" }, fresh: true }];
      const copies = { from: view(context), files, missing: HIDDEN, parents: false, ownsPlace: false };
      const what = { tag: "files" as const, val: copies };
      await fixture.perform({ tag: "copy", val: { into: view(id), what, mode: [], limits: ROOMY } });
      return ["b", "b/c"].map((name) => lstatSync(join(rootfs, "x", name)).mtimeMs);
    };
    const before = await ages();
    await fixture.perform({ tag: "stat", val: at(context, "/") });
    expect([before, await ages()]).toEqual([
      [99_000, 1_600_000_000_000],
      [99_000, 1_600_000_000_000],
    ]);
  });

  test("is told to be compressed however little of it arrives first", async () => {
    const jobs: string[] = [];
    fixture.close();
    fixture = openFixture(undefined, (tools) => {
      const workers = inPlace(tools);
      return { ...workers, run: (name, ...rest) => (jobs.push(name), workers.run(name, ...rest)) };
    });
    const context = await mounted();
    await extract(context, bytewise(gzipSync(rawTar(FILES))), ROOMY);
    expect(jobs).toEqual(["hold"]);
    expect(existsSync(fixture.paths.heldTar(context))).toBe(true);
  });

  test("can be read although it loses its name meanwhile, and without reading its files to find them", async () => {
    const file = fixture.paths.heldTar("large");
    fs.mkdirSync(dirname(file), { recursive: true });
    const size = 1 << 30;
    fs.writeFileSync(file, rawEntry({ name: "large", size }));
    fs.truncateSync(file, 512 + size);
    fs.appendFileSync(file, rawTar([{ name: "small", body: "found" }]));
    const before = bytesRead();
    const opening = openHeld(fixture.paths, "large");
    fs.unlinkSync(file);
    const held = (await opening)!;
    const read: Uint8Array[] = [];
    for await (const piece of held.read("/small")) read.push(Buffer.from(piece));
    held.close();
    expect(Buffer.concat(read).toString()).toBe("found");
    expect(bytesRead() - before).toBeLessThan(64 << 20);
  });

  test("is found by the next engine, even if nothing of it has arrived", async () => {
    const [empty, held] = [await mounted(), await arrived(FILES)];
    expect(fixture.content.containers()).toEqual([empty, held].sort());
  });
});

test("a tree takes no more directories and bytes of names than memory has room for", () => {
  const entry = { name: "", type: "file", mode: 0o644, uid: 0, gid: 0, size: 0, holes: 0, mtime: 0n } as const;
  const plain: TarEntry = { ...entry, target: "", major: 0, minor: 0, xattrs: new Map() };
  const taken = (nameOf: (at: number) => string): number => {
    const held = new HeldTree(0n);
    for (let at = 0; ; at++) if (at === 10_000 || !held.put(nameOf(at), plain, 0)) return at;
  };
  expect(taken((at) => `${at}/${"d/".repeat(249)}f`)).toBe(398);
  expect(taken((at) => `${`${"n".repeat(200)}/`.repeat(20)}${at}`)).toBeLessThan(4200);
  expect(taken(() => `${"d/".repeat(300)}f`)).toBe(0);
  expect(taken(() => `${`${"n".repeat(200)}/`.repeat(21)}f`)).toBe(0);
});

/** What this process has read so far (proc_pid_io(5)). */
function bytesRead(): number {
  return Number(/rchar: (\d+)/.exec(readFileSync("/proc/self/io", "utf8"))![1]);
}

async function* bytewise(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (const byte of bytes) yield Uint8Array.of(byte);
}

/** What a choice, a copy and a look tell of a context. */
async function readBy(context: string): Promise<unknown[]> {
  const told: unknown[] = [];
  const patterns = [["."], ["b"], ["to-b"], ["to-b/deep"], ["*"], ["b/c/d*"], ["a.txt", "näme"], ["nowhere"], ["b/no"]];
  for (const [at, chosen] of patterns.entries()) {
    const val = { from: view(context), patterns: chosen, missing: HIDDEN, anyDepth: false, owners: at % 2 === 1 };
    told.push(await orFailure({ tag: "choose", val }));
  }
  for (const path of ["a.txt", "/to-b/deep", "b/../a.txt", "large", "b", "nowhere", "a.txt/x", "round"]) {
    told.push(await orFailure({ tag: "read-file", val: { at: at(context, path), limit: 1 << 20 } }));
  }
  for (const [from, fresh] of [
    ["", true],
    ["b", true],
    ["to-b", false],
    ["large", false],
  ] as const) {
    told.push(await copyOf(context, from, fresh));
  }
  return told;
}

/** What a copy of these files makes. */
async function copyOf(context: string, path: string, fresh: boolean): Promise<unknown> {
  const { id, rootfs } = await fixture.mount(undefined, true);
  const files = [{ path, to: { path: "/x/y" }, fresh }];
  const copies = { from: view(context), files, missing: HIDDEN, parents: false, ownsPlace: false };
  const copy = { into: view(id), what: { tag: "files" as const, val: copies }, mode: [], limits: ROOMY };
  const outcome = await orFailure({ tag: "copy", val: copy });
  return [outcome, tree(rootfs).map((name) => described(join(rootfs, name), name))];
}

/** Directories that no entry names are as old as their file system. */
function described(path: string, name: string): unknown[] {
  const stat = lstatSync(path);
  const { mode, uid, gid, size, mtimeMs } = stat;
  if (stat.isDirectory()) return [name, mode, uid, gid, name.endsWith("y/b") ? mtimeMs : 0];
  return [name, mode, uid, gid, size, mtimeMs, stat.isFile() ? readFileSync(path, "latin1") : ""];
}

async function orFailure(command: content.ContentCommand): Promise<unknown> {
  return fixture.perform(command).catch((error: unknown) => error);
}

async function arrived(entries: RawEntry[]): Promise<string> {
  const context = await mounted();
  await extract(context, rawTar(entries), ROOMY);
  return context;
}

async function mounted(): Promise<string> {
  return (await fixture.mount(undefined, true)).id;
}

function extract(
  context: string,
  tar: AsyncIterable<Uint8Array> | Uint8Array,
  limits: content.TarLimits,
): Promise<unknown> {
  return fixture.extract({ into: at(context, "/"), keepKinds: false, limits, scratch: true }, tar);
}

function at(container: string, path: string): content.Extract["into"] {
  return { view: view(container), path, follow: true };
}

function view(container: string): content.Selection["from"] {
  return { container, places: [] };
}

const HIDDEN = { ignored: ["b-before"], patterns: [], byRoot: false };
