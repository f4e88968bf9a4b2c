// Applies the same layers and changes in the simulated world and on overlayfs: refusals, results and commits must be
// equal. Needs root.

import { afterEach, beforeEach, expect, test } from "vitest";
import { missing, openFixture, type Fixture as Linux } from "../runtime-linux/content/content-fixture.js";
import { rawTar } from "../support/archives/tar.js";
import { Fixture, listing } from "./content-fixture.js";
import { linuxFiles } from "./linux-files.js";
import { namesIn, numbers, randomChange, randomTar } from "./random-files.js";

let world: Fixture;
let linux: Linux;

beforeEach(() => {
  world = new Fixture();
  linux = openFixture();
});

afterEach(() => {
  world.time.close();
  linux.close();
});

test("files and commits are as on Linux, for any layers and changes", async ({ skip }) => {
  if (missing !== null) return skip(missing);
  for (let seed = 1; seed <= 40; seed++) {
    const [here, there] = [numbers(seed), numbers(seed)];
    const below = randomTar(numbers(seed + 1000));
    const tars = [below, randomTar(numbers(seed + 2000), below)];
    const simulated = await mountSimulated(tars);
    const real = await linux.mount((await linux.stack(...tars)).at(-1)!);
    const onLinux = linuxFiles(real.rootfs);
    expect(listing(simulated.files), `seed ${seed}`).toEqual(listing(onLinux));
    for (let step = 0; step < 40; step++) {
      expect(randomChange(simulated.files, here), `seed ${seed}, step ${step}`).toBe(randomChange(onLinux, there));
    }
    expect(listing(simulated.files), `seed ${seed}, changed`).toEqual(listing(onLinux));
    const [ours, theirs] = [await committed(world, simulated.id, seed), await committed(linux, real.id, seed)];
    expect(ours.told, `seed ${seed}, committed`).toEqual(theirs.told);
    // On Linux a failed rename may leave the mark behind.
    expect(theirs.opaque, `seed ${seed}, opaque`).toEqual(expect.arrayContaining(ours.opaque));
  }
});

test("an ended run has the same files as a stopped container", async ({ skip }) => {
  if (missing !== null) return skip(missing);
  const tars = [rawTar([{ name: "srv/", flag: "5" }])];
  const [here, there] = [await mountSimulated(tars), await linux.mount((await linux.stack(...tars))[0])];
  const places = [{ destination: "/srv", source: linux.root, readOnly: true }];
  const seen = async (host: Pick<Linux, "perform">, container: string, run?: number) => {
    const view = { container, places, ...(run === undefined ? {} : { run }) };
    const outcome = await host.perform({ tag: "stat", val: { view, path: "/srv", follow: false } });
    return outcome.tag === "stat" && [outcome.val.name, outcome.val.place, outcome.val.readOnly];
  };
  for (const run of [undefined, 7]) {
    expect(await seen(world, here.id, run)).toEqual(["srv", "/srv", true]);
    expect(await seen(linux, there.id, run)).toEqual(["srv", "/srv", true]);
  }
});

async function mountSimulated(tars: readonly Buffer[]): Promise<Awaited<ReturnType<Fixture["mount"]>>> {
  let chain: string | undefined;
  for (const tar of tars) chain = await world.layer(tar, chain);
  return world.mount(chain);
}

/** Names in the tar of a container's changes, and its facts except the digest: times differ. */
async function committed(
  host: Pick<Linux, "perform">,
  container: string,
  seed: number,
): Promise<{ told: unknown; opaque: string[] }> {
  const archive = `commit-${seed}`;
  const outcome = await host.perform({ tag: "commit", val: { archive, container, mountPoints: [], spent: false } });
  const tar = await host.perform({ tag: "read", val: { archive, path: "layer.tar", limit: 4 << 20 } });
  const measured = await host.perform({ tag: "measure", val: container });
  if (outcome.tag !== "committed" || tar.tag !== "bytes") throw new Error("not committed");
  const { size, empty } = outcome.val;
  const [names, opaque] = [[], []] as [string[], string[]];
  for (const name of namesIn(tar.val)) (name.endsWith("/.wh..wh..opq") ? opaque : names).push(name);
  return { told: { names, size, empty, measured }, opaque };
}
