// Copies between files of containers on overlayfs. Needs root.

import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { content } from "../../../hosts/shared/index.js";
import { linuxFiles } from "../../simulated/linux-files.js";
import { rawTar } from "../../support/archives/tar.js";
import { copyingTests } from "../../support/copying/copying.js";
import { describeUnless } from "../../support/on-engines.js";
import { missing, openFixture, type Fixture } from "./content-fixture.js";

let fixture: Fixture;
beforeEach(() => {
  fixture = openFixture();
});
afterEach(() => fixture.close());

describeUnless(missing, "copies on Linux", () => {
  copyingTests(() => ({
    perform: (command) => fixture.perform(command),
    layer: (tar) => fixture.layer(tar),
    mount: async (chain, bare) => {
      const { id, rootfs } = await fixture.mount(chain, bare);
      return { id, files: linuxFiles(rootfs) };
    },
  }));

  async function mounted(names: string[]): Promise<{ view: content.ReadFile["at"]["view"]; rootfs: string }> {
    const chain = await fixture.layer(rawTar(names.map((name) => ({ name, body: "x" }))));
    const { id, rootfs } = await fixture.mount(chain);
    return { view: { container: id, places: [] }, rootfs };
  }

  test("reads a part of a file without all that is before it", async () => {
    const { view, rootfs } = await mounted(["d/f"]);
    const size = 2 ** 42; // at the speed of memory, it would take a quarter of an hour
    truncateSync(join(rootfs, "d/f"), size);
    writeFileSync(join(rootfs, "d/f"), "end", { flag: "a" });
    const read = (path: string, offset: bigint, length: bigint) =>
      fixture.perform({
        tag: "read-file",
        val: { at: { view, path, follow: true }, limit: 9, part: { offset, length } },
      });
    const bytes = (text: string) => ({ tag: "bytes", val: Buffer.from(text) });
    expect(await read("/d/f", BigInt(size), 9n)).toEqual(bytes("end"));
    expect(await read("/d/f", BigInt(size + 1), 1n)).toEqual(bytes("n"));
    expect(await read("/d/f", BigInt(size + 3), 9n)).toEqual(bytes(""));
    expect(await read("/d/f", 0n, 0n)).toEqual(bytes(""));
    await expect(read("/none", 0n, 0n)).rejects.toMatchObject({ failure: { tag: "call", val: { error: "ENOENT" } } });
  });

  test("comes to the end of a directory whose names are no UTF-8", async () => {
    const names = ["a", "d/z", ...[0, 1, 2].map((one) => `d/\u00fe\u00ff${one}`), "d/\u00ff"];
    const { view } = await mounted(names);
    const pages: string[][] = [];
    for (let after = ""; pages.length < 9;) {
      const listing = { at: { view, path: "/d", follow: true }, inside: true, after, limit: 2 };
      const outcome = await fixture.perform({ tag: "list-files", val: listing });
      const page = outcome.tag === "listed" ? outcome.val.map(({ name }) => name) : [outcome.tag];
      pages.push(page);
      if (page.length < 2) break;
      after = page.at(-1)!;
    }
    const none = "\ufffd";
    expect(pages).toEqual([["z", none], [`${none}${none}0`, `${none}${none}1`], [`${none}${none}2`]]);
  });
});
