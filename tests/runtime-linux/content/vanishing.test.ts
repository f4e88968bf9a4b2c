// Files that a running container removes while they are read. Needs root.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { compare } from "../../../runtime-linux/content/files/changes.js";
import { writeChanges } from "../../../runtime-linux/content/commit.js";
import { Layers } from "../../../runtime-linux/content/layers/layers.js";
import type { Kernel } from "../../../runtime-linux/kernel.js";
import { libc } from "../../../runtime-linux/kernel/libc.js";
import { must } from "../../support/commands.js";
import { describeUnless } from "../../support/on-engines.js";
import { rawTar } from "../../support/archives/tar.js";
import { missing, openFixture, type Fixture } from "./content-fixture.js";

let fixture: Fixture;
beforeEach(() => {
  fixture = openFixture();
});
afterEach(() => fixture.close());

describeUnless(missing, "files that vanish while they are read", () => {
  test("do not fail a comparison with the image", async () => {
    const chain = await fixture.layer(rawTar([{ name: "gone/below/", flag: "5" }]));
    const { id, rootfs } = await fixture.mount(chain);
    for (const name of ["gone/below/new", "kept"]) writeFileSync(join(rootfs, name), "new");
    const kernel = removing(rootfs, { below: "gone" });
    const layers = new Layers(fixture.paths, kernel);
    const changed = await compare({ container: id, chain, after: "", limit: 10 }, { ...fixture, kernel }, layers);
    expect(changed).toContainEqual({ path: "/kept", kind: "added" });
  });

  test("do not fail a commit of the others", async () => {
    const { id, rootfs } = await fixture.mount();
    mkdirSync(join(rootfs, "directory"));
    for (const name of ["file", "kept"]) writeFileSync(join(rootfs, name), name);
    const kernel = removing(rootfs, { directory: "directory", file: "file" });
    const tar = join(fixture.root, "layer.tar");
    const changes = { upper: fixture.paths.upper(id), mountPoints: [], lower: [], alone: false };
    await writeChanges(changes, tar, kernel, new AbortController().signal);
    expect((await must(["tar", "-tf", tar])).trim().split("\n")).toEqual(["file", "kept"]);
  });
});

/** When the attributes of one file are read, another one is removed. */
function removing(rootfs: string, goes: Readonly<Record<string, string>>): Kernel {
  return {
    ...libc,
    lgetxattr(path, name) {
      const gone = goes[basename(Buffer.from(path).toString())];
      if (gone !== undefined) rmSync(join(rootfs, gone), { recursive: true, force: true });
      return libc.lgetxattr(path, name);
    },
  };
}
