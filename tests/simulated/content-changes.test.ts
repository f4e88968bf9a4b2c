// What comes of the changes that containers of the simulated world make to their files.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { FileSystem } from "../../hosts/simulated/files/file-system.js";
import { rawTar, type RawEntry } from "../support/tar.js";
import { Fixture, listing } from "./content-fixture.js";
import { dir, file, symlink } from "./raw-entries.js";

let world: Fixture;
const bytes = (content: string): Uint8Array => new TextEncoder().encode(content);

beforeEach(() => {
  world = new Fixture();
});

afterEach(() => world.time.close());

describe("a container's changes", () => {
  test("are measured, and committed as a layer that brings them back", async () => {
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

  test("are none when there are none", async () => {
    const { id } = await world.mount(await world.layer(rawTar([dir("d")])));
    const outcome = await world.perform({ tag: "commit", val: { archive: "c", container: id } });
    expect(outcome).toMatchObject({ tag: "committed", val: { empty: true, size: 0n } });
  });

  test("give the same layer whenever they are the same", async () => {
    const make = async (): Promise<string> => {
      const one = new Fixture();
      const { files, id } = await one.mount(await one.layer(rawTar([dir("d"), file("d/a", "1")])));
      files.remove("/d/a");
      files.write("/b", bytes("b"));
      for (const path of ["/b", "/d"]) files.touch(path, 5n);
      const outcome = await one.perform({ tag: "commit", val: { archive: "c", container: id } });
      one.time.close();
      return outcome.tag === "committed" ? outcome.val.diffId : "";
    };
    expect(await make()).toBe(await make());
  });

  test("whatever they are, applied again they give the same files", async () => {
    for (let seed = 1; seed <= 60; seed++) {
      const random = numbers(seed);
      const base = await world.layer(randomTar(random));
      const top = await world.layer(randomTar(random), base);
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

/** Commits, unpacks what came of it on the same chain, and mounts that. */
async function committed(
  container: string,
  chain: string,
  archive = "c",
): Promise<{ files: FileSystem; names: string[] }> {
  const outcome = await world.perform({ tag: "commit", val: { archive, container } });
  if (outcome.tag !== "committed") throw new Error("not committed");
  const tar = await world.perform({ tag: "read", val: { archive, path: "layer.tar" } });
  const again = await world.unpack(archive, outcome.val.diffId, chain);
  const { files } = await world.mount(again);
  return { files, names: tar.tag === "bytes" ? namesIn(tar.val) : [] };
}

/** Names in a tar of small files. */
function namesIn(tar: Uint8Array): string[] {
  const names: string[] = [];
  for (let at = 0; tar[at];) {
    const field = (from: number, length: number): string =>
      Buffer.from(tar.subarray(at + from, at + from + length))
        .toString("latin1")
        .replace(/\0.*/s, "");
    const isExtension = field(156, 1) === "x";
    if (!isExtension) names.push(field(0, 100));
    at += 512 + Math.ceil(Number.parseInt(field(124, 12), 8) / 512) * 512;
  }
  return names;
}

/** Numbers from 0 up to a bound, from a seed. */
function numbers(seed: number): (bound: number) => number {
  let state = seed * 2654435761;
  return (bound) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

function removeAll(files: FileSystem, path: string): void {
  if (files.linkStatus(path).kind !== "directory") return files.remove(path);
  for (const name of files.list(path)) removeAll(files, `${path}/${name}`);
  files.removeDirectory(path);
}

const NAMES = ["a", "b", "c", "é"];

function randomPath(random: (bound: number) => number): string {
  return Array.from({ length: 1 + random(3) }, () => NAMES[random(NAMES.length)]).join("/");
}

/** Directories, files and whiteouts that do not contradict each other: parents are directories. */
function randomTar(random: (bound: number) => number): Buffer {
  const files = new Map<string, RawEntry>();
  for (let count = 0; count < 8; count++) {
    const path = randomPath(random);
    const parts = path.split("/");
    const parents = parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join("/"));
    if (parents.some((parent) => files.has(parent) && files.get(parent)?.flag !== "5") || files.has(path)) continue;
    for (const parent of parents) files.set(parent, dir(latin1(parent)));
    const name = latin1(path);
    const made = [file(name, `${count}`), dir(name), symlink(name, "a"), file(name.replace(/[^/]*$/, ".wh.$&"), "")];
    files.set(path, made[random(made.length)]!);
  }
  return rawTar([...files.values()]);
}

function latin1(name: string): string {
  return Buffer.from(name).toString("latin1");
}

/** One thing that a process may do; what is refused is not done. */
function randomChange(files: FileSystem, random: (bound: number) => number): void {
  const [path, other] = [`/${randomPath(random)}`, `/${randomPath(random)}`];
  const changes = [
    () => files.write(path, bytes(`${random(1000)}`)),
    () => files.append(path, bytes("+")),
    () => files.makeDirectory(path),
    () => files.remove(path),
    () => files.removeDirectory(path),
    () => files.rename(path, other),
    () => files.link(path, other),
    () => files.symlink(other, path),
    () => files.changeMode(path, 0o600 + random(0o100)),
    () => removeAll(files, path),
    () => (removeAll(files, path), files.makeDirectory(path)),
  ];
  try {
    changes[random(changes.length)]!();
  } catch (error) {
    if ((error as { code?: string }).code === undefined) throw error;
  }
}
