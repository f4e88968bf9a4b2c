// A layer that is made anew takes the name of the one that is there. If that fails, the older one keeps it. Needs root.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Layers } from "../../../runtime-linux/content/layers/layers.js";
import type { Path } from "../../../runtime-linux/kernel.js";
import { libc } from "../../../runtime-linux/kernel/libc.js";
import { Paths } from "../../../runtime-linux/paths.js";
import { describeUnless } from "../../support/on-engines.js";
import { missing, openFixture, tree, type Fixture } from "./content-fixture.js";

const CHAIN = `sha256:${"a".repeat(64)}`;
const DIFF_ID = `sha256:${"b".repeat(64)}`;

/** The names in the directory of the layers can be changed, but not flushed. */
class Unflushable extends Paths {
  isBroken = false;

  override layers(...names: string[]): string {
    return this.isBroken && names.length === 0 ? super.layers("cannot-be-opened") : super.layers(...names);
  }
}

describeUnless(missing, "a layer that is replaced", () => {
  let fixture: Fixture;
  let paths: Unflushable;
  let layers: Layers;
  beforeEach(async () => {
    fixture = openFixture();
    paths = new Unflushable(fixture.paths.roots);
    layers = new Layers(paths, libc);
    await keep("older");
  });
  afterEach(() => fixture.close());

  async function draft(text: string): Promise<string> {
    const made = await layers.draft();
    mkdirSync(join(made, "diff"));
    writeFileSync(join(made, "diff/file"), text);
    return made;
  }
  const recordOf = (text: string) => ({ parent: null, diffId: DIFF_ID, size: text.length, blob: null });
  const keep = async (text: string): Promise<void> => layers.keep(CHAIN, await draft(text), recordOf(text));
  const text = (): string => readFileSync(join(layers.stack(CHAIN)[0]!, "file"), "utf8");
  /** What the next start finds. */
  const found = () => new Layers(fixture.paths, libc).record(CHAIN);

  test("has its name until the newer one has it, as a start after a crash would find", async () => {
    const seen: unknown[] = [];
    const exchange = (one: Path, other: Path): void => {
      seen.push(found());
      libc.exchange(one, other);
      seen.push(found());
    };
    layers = new Layers(paths, { ...libc, exchange });
    await keep("newer one");
    expect(seen).toEqual([recordOf("older"), recordOf("newer one")]);
    // A crash before that leaves the newer one, which a sweep finds; after that, the older one, where a sweep leaves it alone.
    const aside = tree(paths.layers("tmp")).filter((name) => name.endsWith("/diff/file"));
    expect(aside).toEqual([expect.stringMatching(/^replaced-/)]);
  });

  test.each(["EINVAL", "ENOSYS"])("stays aside also where names cannot be exchanged (%s)", async (code) => {
    const exchange = (): never => {
      throw Object.assign(new Error(code), { code });
    };
    layers = new Layers(paths, { ...libc, exchange });
    await keep("newer one");
    expect([text(), found()]).toEqual(["newer one", recordOf("newer one")]);
    paths.isBroken = true;
    await expect(keep("newest of all")).rejects.toMatchObject({ code: "ENOENT" });
    expect([text(), found()]).toEqual(["newer one", recordOf("newer one")]);
  });

  test("and that cannot get its name back is no layer any more; neither is the newer one", async () => {
    let times = 0;
    const exchange = (one: Path, other: Path): void => {
      if (++times > 1) throw Object.assign(new Error("EIO"), { code: "EIO" });
      libc.exchange(one, other);
    };
    layers = new Layers(paths, { ...libc, exchange });
    paths.isBroken = true;
    await expect(keep("newer one")).rejects.toMatchObject({ code: "ENOENT" });
    expect([layers.record(CHAIN), found()]).toEqual([undefined, undefined]);
  });

  test("stays aside for those that are running on it", async () => {
    await keep("newer one");
    expect(text()).toBe("newer one");
    expect(tree(paths.layers("tmp")).filter((name) => name.endsWith("/diff/file"))).toHaveLength(1);
    await layers.sweep(() => {}, false);
    expect([existsSync(paths.layers("tmp")), text()]).toEqual([false, "newer one"]);
  });

  test("gets its name back if the new name cannot be flushed", async () => {
    paths.isBroken = true;
    await expect(keep("newer one")).rejects.toMatchObject({ code: "ENOENT" });
    expect([text(), layers.record(CHAIN), found()]).toEqual(["older", recordOf("older"), recordOf("older")]);
    paths.isBroken = false;
    await keep("newer one");
    expect([text(), layers.record(CHAIN), found()]).toEqual([
      "newer one",
      recordOf("newer one"),
      recordOf("newer one"),
    ]);
  });

  test("gets its name back if the new one cannot get it", async () => {
    const lost = await draft("newer one");
    await layers.keepUnflushed(CHAIN, lost, recordOf("newer one"));
    rmSync(lost, { recursive: true });
    await expect(layers.flush([CHAIN])).rejects.toMatchObject({ code: "ENOENT" });
    expect([text(), layers.record(CHAIN), found()]).toEqual(["older", recordOf("older"), recordOf("older")]);
  });
});
