// Unpacking a request's body into a container: what it waits for, and for how long. Needs root.

import { closeSync, lstatSync, mkdtempSync, openSync, readFileSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { content } from "../../../hosts/shared/host.js";
import { registryClient } from "../../../hosts/registry/client.js";
import { linuxContent, type LinuxContent } from "../../../runtime-linux/content.js";
import type { Kernel } from "../../../runtime-linux/kernel.js";
import { libc } from "../../../runtime-linux/kernel/libc.js";
import { describeUnless } from "../../support/on-engines.js";
import { memoryDirectory } from "../../support/memory-directory.js";
import { openFiles } from "../../support/measured/open-files.js";
import { ROOMY, rawTar, type RawEntry } from "../../support/archives/tar.js";
import { turnsDuring } from "../../support/measured/turns.js";
import { failed, missing, openFixture, type Fixture } from "./content-fixture.js";

const OP = 4711n;

let fixture: Fixture;
beforeEach(() => {
  // On a disk, making thousands of files takes several times as long.
  fixture = openFixture(mkdtempSync(join(memoryDirectory(), "coracle-content-")));
});
afterEach(() => fixture.close());

describeUnless(missing, "unpacking into a container", () => {
  test("can be abandoned while a disk is slow, and does not block an unmount", async () => {
    const { id, rootfs } = await fixture.mount(await fixture.layer(rawTar([{ name: "etc/", flag: "5" }])));
    const disk = new SlowDisk();
    const { perform } = contentOn(disk);
    const unpacking = failed(perform(OP, { tag: "extract", val: into(id, "/etc") }, () => {}));
    const flushed = await disk.asked;
    expect(readFileSync(join(rootfs, "etc/given"), "utf8")).toBe("given");
    await perform(0n, { tag: "abandon", val: OP }, () => {});
    expect(await unpacking).toEqual({ tag: "interrupted", val: "given-up" });
    await perform(0n, { tag: "unmount", val: id }, () => {});
    // The flush keeps the descriptor open until it ends, so that no other file gets its number.
    expect(targetOf(flushed)).toBe("/etc");
    disk.finish();
    await expect.poll(() => targetOf(flushed)).not.toBe("/etc");
  });

  test("what is a build's is not flushed; a later file replaces an earlier one, but not through its other names", async () => {
    const { id, rootfs } = await fixture.mount(await fixture.layer(rawTar([{ name: "etc/", flag: "5" }])));
    const entries: RawEntry[] = [
      { name: "a", body: "first", mode: 0o640 },
      { name: "b", flag: "1", target: "a" },
      { name: "a", body: "second", mode: 0o600, mtime: 77 },
      { name: "link", flag: "2", target: "a" },
      { name: "link", body: "third" },
      { name: "d/f", body: "deep" },
      { name: "d", body: "no directory" },
    ];
    await contentOn(new SlowDisk(), entries).perform(OP, { tag: "extract", val: scratch(id, "/etc") }, () => {});
    const { mode, mtimeMs } = lstatSync(join(rootfs, "etc/a"));
    expect([mode & 0o7777, mtimeMs, lstatSync(join(rootfs, "etc/b")).mode & 0o7777]).toEqual([0o600, 77_000, 0o640]);
    const texts = ["a", "b", "link", "d"].map((name) => readFileSync(join(rootfs, "etc", name), "utf8"));
    expect(texts).toEqual(["second", "first", "third", "no directory"]);
  });

  test("tells which directory cannot get its time, since a later entry has replaced what a link leads to", async () => {
    const { id } = await fixture.mount(await fixture.layer(rawTar([{ name: "etc/", flag: "5" }])));
    const entries: RawEntry[] = [
      { name: "real/", flag: "5" },
      { name: "link", flag: "2", target: "real" },
      { name: "link/sub/", flag: "5" },
      { name: "real", body: "no directory" },
    ];
    const { perform } = contentOn(new SlowDisk(), entries);
    expect(await failed(perform(OP, { tag: "extract", val: scratch(id, "/etc") }, () => {}))).toEqual({
      tag: "call",
      val: { call: "chtimes", path: "/etc/link/sub", inside: true, error: "ENOTDIR" },
    });
  });

  test.each([true, false])("no part of a file stays if the archive breaks off (a build's: %s)", async (isScratch) => {
    const { id, rootfs } = await fixture.mount(await fixture.layer(rawTar([{ name: "new/", flag: "5" }])));
    const whole = rawTar([
      { name: "whole", body: "whole" },
      { name: "part", body: "x".repeat(100_000) },
    ]);
    const broken = contentOn(libc, [], whole.subarray(0, 60_000));
    const command = { ...into(id, "/new"), scratch: isScratch };
    expect(await failed(broken.perform(OP, { tag: "extract", val: command }, () => {}))).toMatchObject({
      tag: "damaged",
    });
    expect(readdirSync(join(rootfs, "new"))).toEqual(["whole"]);
  });

  test.each([
    ["a file", { name: "full", body: "given" }],
    ["a link", { name: "full", flag: "2", target: "given" }],
  ])("a directory of very many files is replaced by %s, without a long blocking", async (_, entry) => {
    const { id, rootfs } = await fixture.mount(await fixture.layer(rawTar([{ name: "etc/full/deep/", flag: "5" }])));
    const full = join(rootfs, "etc/full");
    for (let at = 0; at < 10_000; at++) closeSync(openSync(join(full, `deep/file${at}`), "w"));
    const { perform } = contentOn(libc, [entry]);
    const extracting = async (): Promise<unknown> => perform(OP, { tag: "extract", val: into(id, "/etc") }, () => {});
    const { longest, whole } = await turnsDuring(extracting);
    const there = lstatSync(full);
    expect(there.isSymbolicLink() ? readlinkSync(full) : readFileSync(full, "utf8")).toBe("given");
    // In one piece it would be nearly the whole time.
    expect(longest).toBeLessThan(whole / 3);
  });
});

/** A disk on which no write completes until the test allows it. */
class SlowDisk {
  /** Resolves with the file descriptor of the first request. */
  readonly asked: Promise<number>;
  finish = (): void => {};
  #ask = (_: number): void => {};

  constructor() {
    this.asked = new Promise((resolve) => (this.#ask = resolve));
  }

  syncfs = (fd: number): Promise<void> => {
    this.#ask(fd);
    return new Promise((resolve) => (this.finish = resolve));
  };
}

function contentOn(
  { syncfs }: Pick<Kernel, "syncfs">,
  entries: RawEntry[] = [{ name: "given", body: "given" }],
  bytes: Uint8Array = rawTar(entries),
): LinuxContent {
  async function* body(): AsyncGenerator<Uint8Array> {
    yield bytes;
  }
  const kernel = { ...libc, syncfs };
  return linuxContent({
    paths: fixture.paths,
    kernel,
    log: () => Promise.reject(new Error("no container has a log")),
    bodies: {
      take: () => body(),
      session: () => body(),
      upload: () => body(),
      credentials: () => Promise.reject(new Error("no session")),
      secret: () => Promise.reject(new Error("no session")),
      deliver: () => Promise.reject(new Error("no session")),
      agent: () => Promise.reject(new Error("no session")),
      document: () => Promise.reject(new Error("no session")),
      blob: () => body(),
      give: () => Promise.reject(new Error("no session")),
    },
    registry: registryClient(),
  });
}

function into(container: string, path: string): content.Extract {
  const at = { view: { container, places: [] }, path, follow: true };
  return { into: at, source: { tag: "body", val: 1n }, keepKinds: false, limits: ROOMY, scratch: false };
}

function scratch(container: string, path: string): content.Extract {
  return { ...into(container, path), scratch: true };
}

/** Undefined if it is not open. */
function targetOf(fd: number): string | undefined {
  return openFiles(process.pid).find((file) => file.fd === fd)?.target;
}
