// Writes that fail after the call of write(2) has succeeded: the kernel tells the next flush of them, and only that one.
// The disk is a file with ext4, which has more blocks than the tmpfs around it has room for.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Layers } from "../../../runtime-linux/content/layers/layers.js";
import { libc } from "../../../runtime-linux/kernel/libc.js";
import { Paths } from "../../../runtime-linux/paths.js";
import { findProgram, must, run } from "../../support/commands.js";
import { describeUnless } from "../../support/on-engines.js";
import { missing as withoutRoot } from "./content-fixture.js";

const missing = withoutRoot ?? (findProgram("mkfs.ext4") === null ? "mkfs.ext4 is not installed" : null);

const MIB = 1 << 20;

describeUnless(missing, "a write that fails later", () => {
  let root: string;
  let layers: Layers;
  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), "coracle-lost-"));
    mkdirSync(around());
    mkdirSync(mounted());
    await must(["mount", "-t", "tmpfs", "-o", "size=4m", "lost-writes", around()]);
    const disk = join(around(), "disk");
    await must(["truncate", "-s", "64M", disk]);
    // Without a journal, which would stop the file system at the first error.
    await must(["mkfs.ext4", "-q", "-O", "^has_journal", "-E", "lazy_itable_init=1", disk]);
    await must(["mount", "-o", "loop,errors=continue", disk, mounted()]);
    layers = new Layers(new Paths({ data: join(mounted(), "data"), exec: join(root, "exec") }), libc);
  });
  afterEach(async () => {
    await run(["umount", "-l", mounted()]);
    await run(["umount", "-l", around()]);
    rmSync(root, { recursive: true });
  });
  const around = (): string => join(root, "around");
  const mounted = (): string => join(root, "mounted");
  const makeRoom = (): Promise<unknown> => must(["mount", "-o", "remount,size=128m", around()]);

  /** A chain whose files are unpacked. */
  async function unpacked(letter: string, size: number): Promise<string> {
    const [chain, diffId] = [`sha256:${letter.repeat(64)}`, `sha256:${"0".repeat(64)}`];
    const draft = await layers.draft();
    mkdirSync(join(draft, "diff"));
    writeFileSync(join(draft, "diff/file"), Buffer.alloc(size, letter));
    await layers.keepUnflushed(chain, draft, { parent: null, diffId, size, blob: null });
    return chain;
  }

  /** Somebody else's flush. */
  async function flushes(): Promise<"fails" | "succeeds"> {
    const directory = await open(mounted());
    try {
      await libc.syncfs(directory.fd);
      return "succeeds";
    } catch {
      return "fails";
    } finally {
      await directory.close();
    }
  }

  test("fails the flush of its layer, also after somebody else was told of it", async () => {
    const chain = await unpacked("a", 16 * MIB);
    expect(await flushes()).toBe("fails");
    await makeRoom();
    expect(await flushes()).toBe("succeeds");
    await expect(layers.flush([chain])).rejects.toMatchObject({ code: "EIO" });
    await expect(layers.flush([chain])).rejects.toMatchObject({ code: "EIO" });
    expect(layers.all()).toEqual([]);
  });

  test("fails the flushes of all layers that were being made", async () => {
    const chains = [await unpacked("a", MIB), await unpacked("b", 16 * MIB), await unpacked("c", MIB)];
    const ends = await Promise.allSettled(chains.map((chain) => layers.flush([chain])));
    expect(ends.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(layers.all()).toEqual([]);
  });

  test("does not fail those of layers that are begun later", async () => {
    const lost = await unpacked("a", 16 * MIB);
    await expect(layers.flush([lost])).rejects.toMatchObject({ code: "EIO" });
    await layers.drop(lost);
    await makeRoom();
    const chains = [await unpacked("a", 16 * MIB), await unpacked("b", MIB)];
    await layers.flush(chains);
    expect(layers.all()).toEqual(chains);
  });
});
