// Volumes of the simulated world.

import { afterEach, beforeEach, expect, test } from "vitest";
import { Disk } from "../../hosts/simulated/files/disk.js";
import type { MountedFiles } from "../../hosts/simulated/files/mounted-files.js";
import { rawTar } from "../support/archives/tar.js";
import { failed, Fixture, listing } from "./content-fixture.js";

let world: Fixture;
const bytes = (content: string): Uint8Array => new TextEncoder().encode(content);

beforeEach(() => {
  world = new Fixture();
});

afterEach(() => world.time.close());

test("a volume is filled once with the files of its path in the image, including links, modes and owners", async () => {
  const { id } = await world.mount(
    await world.layer(
      rawTar([
        { name: "data/", flag: "5", mode: 0o750, uid: 7, gid: 8 },
        { name: "data/a", body: "1", mode: 0o640, uid: 7 },
        { name: "data/b", flag: "1", target: "data/a" },
        { name: "data/d/", flag: "5", mode: 0o700 },
        { name: "data/d/s", flag: "2", target: "../a" },
        { name: "place", flag: "2", target: "data" },
      ]),
    ),
  );
  await world.volumes({ tag: "make", val: "v" });
  await world.volumes({ tag: "populate", val: { name: "v", container: id, path: "/place" } });
  const files = mounted(id, "v");
  expect(listing(files, "/v").map((line) => line.slice(3))).toEqual(
    listing(world.disk.view(id)!, "/data").map((line) => line.slice(6)),
  );
  expect(files.status("/v")).toMatchObject({ mode: 0o750, uid: 7, gid: 8 });
  files.append("/v/a", bytes("2"));
  expect([files.status("/v/b").size, world.disk.view(id)!.status("/data/a").size]).toEqual([2, 1]);
  await world.volumes({ tag: "populate", val: { name: "v", container: id, path: "/place/d" } });
  expect(files.list("/v")).toEqual(["a", "b", "d"]);
});

test("a path that is missing or not a directory fills nothing", async () => {
  const { id } = await world.mount(await world.layer(rawTar([{ name: "file", body: "x" }])));
  await world.volumes({ tag: "make", val: "v" });
  for (const path of ["/file", "/none", "/file/below"]) {
    await world.volumes({ tag: "populate", val: { name: "v", container: id, path } });
  }
  expect(mounted(id, "v").list("/v")).toEqual([]);
});

test("making a volume twice keeps its files; dropping removes them, and frees the space", async () => {
  const { id } = await world.mount();
  const before = world.disk.room.used;
  await world.volumes({ tag: "make", val: "v" });
  mounted(id, "v").write("/v/f", new Uint8Array(100));
  await world.volumes({ tag: "make", val: "v" });
  expect(mounted(id, "v").list("/v")).toEqual(["f"]);
  expect(world.disk.room.used).toBe(before + 100);
  await world.volumes({ tag: "drop", val: "v" });
  await world.volumes({ tag: "drop", val: "v" });
  expect([[...world.disk.volumes], world.disk.room.used]).toEqual([[], before]);
  expect(() => mounted(id, "v")).toThrow("no-such: volume v");
});

test.each(["/var/lib/coracle/volumes", "/dev/shm/data/volumes", "/volumes"])(
  "a dropped volume leaves nothing in the machine's directory of volumes: %s",
  (volumesAt) => {
    const disk = new Disk({ size: 2 ** 20, faults: { strike: () => null }, volumesAt, now: () => 0n });
    for (const name of ["kept", "dropped"]) disk.makeVolume(name);
    expect(disk.machine.list(volumesAt)).toEqual(["dropped", "kept"]);
    disk.dropVolume("dropped");
    expect(disk.machine.list(volumesAt)).toEqual(["kept"]);
  },
);

test("a full disk fills nothing, and is reported", async () => {
  const tar = rawTar([{ name: "data/f", body: "x".repeat(100) }]);
  const { id } = await world.mount(await world.layer(tar));
  await world.volumes({ tag: "make", val: "v" });
  const before = world.disk.room.used;
  world.faults.inject({ kind: "disk-full" });
  const populate = { tag: "populate", val: { name: "v", container: id, path: "/data" } } as const;
  expect(await failed(world.volumes(populate))).toMatchObject({
    tag: "call",
    val: { call: "write", path: "/data/f", error: "ENOSPC" },
  });
  world.faults.lift("disk-full");
  expect([mounted(id, "v").list("/v"), world.disk.room.used]).toEqual([[], before]);
});

test("invalid names are refused", async () => {
  for (const val of ["", "..", "a/b", "-a"]) {
    expect(await failed(world.volumes({ tag: "make", val }))).toMatchObject({
      tag: "malformed",
      val: { what: "volume-name", text: val },
    });
  }
});

/** A container's files with a volume at `/NAME`. */
function mounted(container: string, name: string): MountedFiles {
  return world.disk.mountView(container, {
    mounts: [{ destination: `/${name}`, type: "bind", source: `volume:${name}`, options: ["rbind"] }],
  });
}
