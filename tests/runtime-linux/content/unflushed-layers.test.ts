// Layers that are unpacked before they are flushed, several of them at once. Needs root.

import { existsSync, lstatSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Layers } from "../../../runtime-linux/content/layers/layers.js";
import { libc } from "../../../runtime-linux/kernel/libc.js";
import { rawTar } from "../../support/archives/tar.js";
import { describeUnless } from "../../support/on-engines.js";
import { failed, missing, openFixture, tree, type Fixture } from "./content-fixture.js";

describeUnless(missing, "layers that are not flushed", () => {
  let fixture: Fixture;
  let flushes: number;
  let isBroken: boolean;
  const syncfs = async (fd: number): Promise<void> => {
    flushes += 1;
    if (isBroken) throw new Error("the disk is broken");
    await libc.syncfs(fd);
  };
  beforeEach(() => {
    [flushes, isBroken] = [0, false];
    fixture = openFixture(undefined, undefined, { ...libc, syncfs });
  });
  afterEach(() => fixture.close());

  const low = rawTar([{ name: "file", body: "text" }]);
  const high = rawTar([{ name: "link", flag: "1", target: "file" }]);
  const unpacked = async (): Promise<string[]> => {
    const below = await fixture.layer(low, undefined, true);
    return [below, await fixture.layer(high, below, true)];
  };
  /** A layer whose files somebody reads until `close`. */
  const oneThatIsRead = async (flushed = false) => {
    // The disk may be busy with others' writes.
    const layers = new Layers(fixture.paths, { ...libc, syncfs: async () => {} });
    const draft = await layers.draft();
    mkdirSync(join(draft, "diff"));
    const [chain, diffId] = [`sha256:${"a".repeat(64)}`, `sha256:${"b".repeat(64)}`];
    await layers.keepUnflushed(chain, draft, { parent: null, diffId, size: 0, blob: null });
    if (flushed) await layers.flush([chain]);
    let close = (): void => {};
    const reader = new Promise<void>((resolve) => (close = resolve));
    const [place = ""] = await layers.held(chain, reader);
    return { layers, chain, place, close };
  };
  const flush = (chains: string[]) => fixture.perform({ tag: "flush-layers", val: chains });

  test("are there for those above them only", async () => {
    const chains = await unpacked();
    expect(flushes).toBe(0);
    expect(fixture.content.chains()).toEqual([]);
    const mount = { container: "a".repeat(64), chain: chains[1]!, bare: false };
    expect(await failed(fixture.perform({ tag: "mount", val: mount }))).toMatchObject({ tag: "no-such" });
  });

  test("are flushed together, and once", async () => {
    const chains = await unpacked();
    await flush(chains);
    expect(flushes).toBe(1);
    expect(fixture.content.chains()).toEqual(chains);
    expect(tree(fixture.paths.layers("tmp"))).toEqual([]);
    await flush(chains);
    expect(flushes).toBe(1);
    const { rootfs } = await fixture.mount(chains[1]);
    expect(lstatSync(join(rootfs, "link")).size).toBe(4);
    const other = openFixture(fixture.root);
    expect(other.content.chains().toSorted()).toEqual(chains.toSorted());
  });

  test("are dropped like others", async () => {
    const [below, above] = await unpacked();
    await fixture.perform({ tag: "drop-chain", val: above! });
    await flush([below!]);
    expect(fixture.content.chains()).toEqual([below]);
    expect(tree(fixture.paths.layers("tmp"))).toEqual([]);
    expect(await failed(flush([above!]))).toEqual({ tag: "no-such", val: { what: "layer", name: above } });
  });

  test("go with the engine", async () => {
    const chains = await unpacked();
    const next = openFixture(fixture.root);
    await next.content.sweep();
    expect(next.content.chains()).toEqual([]);
    expect(tree(fixture.paths.layers())).toEqual([]);
    await fixture.content.sweep();
    expect(await failed(flush(chains))).toMatchObject({ tag: "no-such" });
  });

  test("stay in their place while somebody reads them", async () => {
    const { layers, chain, place, close } = await oneThatIsRead();
    const flushing = layers.flush([chain]);
    await setTimeout(100);
    expect(existsSync(place)).toBe(true);
    const next = layers.held(chain, Promise.resolve());
    expect(layers.all()).toEqual([]);
    close();
    await flushing;
    expect(await next).toEqual([fixture.diff(chain)]);
    expect(existsSync(fixture.diff(chain))).toBe(true);
  });

  test.each([false, true])("are not dropped while somebody reads them (flushed: %s)", async (flushed) => {
    const { layers, chain, place, close } = await oneThatIsRead(flushed);
    const dropping = layers.drop(chain);
    await setTimeout(100);
    expect(existsSync(place)).toBe(true);
    close();
    await dropping;
    expect([existsSync(place), layers.all()]).toEqual([false, []]);
    await expect(layers.held(chain, Promise.resolve())).rejects.toThrow();
  });

  test("are lost when a flush fails: the next one would succeed without their bytes", async () => {
    const chains = await unpacked();
    isBroken = true;
    await expect(flush(chains)).rejects.toThrow("the disk is broken");
    isBroken = false;
    await expect(flush(chains)).rejects.toThrow("the disk is broken");
    expect(fixture.content.chains()).toEqual([]);
    await unpacked();
    await flush(chains);
    expect(fixture.content.chains()).toEqual(chains);
  });

  test("one that is flushed at once and cannot be leaves nothing", async () => {
    isBroken = true;
    await expect(fixture.layer(low)).rejects.toThrow("the disk is broken");
    expect(fixture.content.chains()).toEqual([]);
    expect(tree(fixture.paths.layers("tmp"))).toEqual([]);
  });
});
