// The package on a real machine: containers in the program's own engine, without a daemon.

import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import { engines } from "../support/engines.js";
import { openNetns } from "../support/netns.js";
import { describeUnless } from "../support/on-engines.js";
import { PackedPackage, ROOT } from "./packed-package.js";

const linux = engines().find((engine) => engine.kind === "linux");

describeUnless(linux === undefined ? "another engine was chosen" : linux.missing, "linuxHost", () => {
  test("runs containers, which keep running when the engine crashes and when it is closed", async () => {
    const directory = mkdtempSync(join(tmpdir(), "coracle-embedded-"));
    const netns = await openNetns();
    const packed = new PackedPackage();
    onTestFinished(async () => {
      packed.remove();
      await netns.close();
      rmSync(directory, { recursive: true, force: true });
    });
    // Its dependencies, as npm would install them.
    for (const name of ["koffi", "lmdb", "@lmdb", "msgpackr", "weak-lru-cache", "ordered-binary"]) {
      symlinkSync(join(ROOT, "node_modules", name), join(packed.directory, "node_modules", name));
    }
    const story = join(ROOT, "tests/embedding/platforms/linux-story.ts");
    buildSync({ entryPoints: [story], outfile: join(packed.directory, "story.mjs"), format: "esm" });
    const roots = [join(directory, "data"), join(directory, "exec")] as const;
    // Its mounts disappear with it, because it has its own mount namespace.
    const apart = netns.inside([
      "unshare",
      "--mount",
      "--propagation",
      "slave",
      process.execPath,
      "story.mjs",
      ...roots,
    ]);
    const [program = "", ...args] = apart;
    expect(packed.run(program, args).split("\n")).toEqual([
      "a second one: DATA belongs to another engine of this process",
      "attached: hello from first",
      'waited: {"StatusCode":3}',
      "after a crash: runs on",
      "after closing: runs on",
      "removed: 204",
      "kept in its data root: 1 image",
      "",
    ]);
  });
});
