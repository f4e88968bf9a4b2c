// How the simulated world records changes that containers make to their files.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { FileSystem } from "../../hosts/simulated/files/file-system.js";
import { rawTar } from "../support/archives/tar.js";
import { Fixture, listing } from "./content-fixture.js";
import { namesIn, numbers, randomChange, randomTar } from "./random-files.js";
import { dir, file } from "./raw-entries.js";

let world: Fixture;
const bytes = (content: string): Uint8Array => new TextEncoder().encode(content);

beforeEach(() => {
  world = new Fixture();
});

afterEach(() => world.time.close());

describe("a container's changes", () => {
  test("are measured, and committed as a layer that restores them", async () => {
    const base = await world.layer(
      rawTar([dir("d"), file("d/a", "1"), file("d/b", "2"), dir("e"), file("e/a", "3"), file("gone", "4")]),
    );
    const { id, files } = await world.mount(base);
    files.write("/d/a", bytes("changed"));
    files.remove("/gone");
    files.remove("/e/a");
    files.removeDirectory("/e");
    files.makeDirectory("/e", 0o711);
    files.write("/e/new", bytes("new"), 0o600);
    files.link("/e/new", "/other");
    files.symlink("d/a", "/s");
    files.changeMode("/d/b", 0o755);
    expect(await world.perform({ tag: "measure", val: id })).toEqual({ tag: "size", val: 7n + 3n + 3n + 1n });
    const { files: again, names } = await committed(id, base);
    expect(names).toEqual(["d/", "d/a", "d/b", "e/", "e/.wh..wh..opq", "e/new", ".wh.gone", "other", "s"]);
    expect(listing(again)).toEqual(listing(files));
  });

  test("are empty if nothing has changed", async () => {
    const { id } = await world.mount(await world.layer(rawTar([dir("d")])));
    const outcome = await world.perform({
      tag: "commit",
      val: { archive: "c", container: id, mountPoints: [], spent: false },
    });
    expect(outcome).toMatchObject({ tag: "committed", val: { empty: true, size: 0n } });
  });

  test("have no directories that only mounts needed; others stay, however empty", async () => {
    const image = [dir("image"), { name: "link", flag: "2", target: "image" }];
    const { files, id } = await world.mount(await world.layer(rawTar(image)));
    for (const path of [
      "/image/x",
      "/image/x/y",
      "/link/by",
      "/link/by/link",
      "/a",
      "/a/b",
      "/used",
      "/used/b",
      "/bare",
    ])
      files.makeDirectory(path);
    files.write("/a/b/file", bytes(""));
    files.write("/used/file", bytes(""));
    const mountPoints = ["/image/x/y", "/link/by/link", "/a/b/file", "/used/b", "/none/at/all"];
    await world.perform({ tag: "commit", val: { archive: "c", container: id, mountPoints, spent: false } });
    const tar = await world.perform({ tag: "read", val: { archive: "c", path: "layer.tar", limit: 4 << 20 } });
    if (tar.tag !== "bytes") throw new Error(tar.tag);
    expect(namesIn(tar.val)).toEqual(["bare/", "image/", "used/", "used/file"]);
  });

  test("give equal layers if they are equal", async () => {
    const make = async (): Promise<string> => {
      const one = new Fixture();
      const { files, id } = await one.mount(await one.layer(rawTar([dir("d"), file("d/a", "1")])));
      files.remove("/d/a");
      files.write("/b", bytes("b"));
      for (const path of ["/b", "/d"]) files.touch(path, 5n);
      const outcome = await one.perform({
        tag: "commit",
        val: { archive: "c", container: id, mountPoints: [], spent: false },
      });
      one.time.close();
      return outcome.tag === "committed" ? outcome.val.diffId : "";
    };
    expect(await make()).toBe(await make());
  });

  test("give the same files when they are applied again", async () => {
    for (let seed = 1; seed <= 60; seed++) {
      const random = numbers(seed);
      const below = randomTar(random);
      const base = await world.layer(below);
      const top = await world.layer(randomTar(random, below), base);
      const { id, files } = await world.mount(top);
      for (let step = 0; step < 40; step++) randomChange(files, random);
      const { files: again } = await committed(id, top, `seed-${seed}`);
      expect(listing(again), `seed ${seed}`).toEqual(listing(files));
    }
  });

  test("go with the container", async () => {
    const before = world.disk.room.used;
    const { id, files } = await world.mount();
    files.write("/f", new Uint8Array(1000));
    expect([world.content.mounts(), world.content.containers()]).toEqual([[id], [id]]);
    await world.perform({ tag: "unmount", val: id });
    expect([world.content.mounts(), world.content.containers()]).toEqual([[], [id]]);
    await world.perform({ tag: "drop-container", val: id });
    expect([world.content.containers(), world.disk.room.used]).toEqual([[], before]);
  });
});

/** Commits, unpacks the result on the same chain, and mounts it. */
async function committed(
  container: string,
  chain: string,
  archive = "c",
): Promise<{ files: FileSystem; names: string[] }> {
  const outcome = await world.perform({ tag: "commit", val: { archive, container, mountPoints: [], spent: false } });
  if (outcome.tag !== "committed") throw new Error("not committed");
  const tar = await world.perform({ tag: "read", val: { archive, path: "layer.tar", limit: 4 << 20 } });
  const again = await world.unpack(archive, outcome.val.diffId, chain);
  const { files } = await world.mount(again);
  return { files, names: tar.tag === "bytes" ? namesIn(tar.val) : [] };
}
