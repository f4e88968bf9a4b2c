// What is to stand in a container besides its own files: what a request may say, by version, and what it comes to.

import { beforeAll, describe, expect, test } from "vitest";
import { type Door, openDoor } from "./door.js";

type Json = Record<string, unknown>;

let door: Door;
beforeAll(async () => {
  door = await openDoor("container-door");
}, 60_000);

/** `MountKind` of core/assembly/container/mount-point.ts. */
const VOLUME = 1;
const mounts = (host: Json, version = 55, config: Json = {}) => door.call("mounts", config, host, version);

describe("binds", () => {
  test("a path, a name, and neither", () => {
    expect(mounts({ Binds: ["/a/../b:/c/", "data:/d", "/e"] })).toEqual([
      { destination: "/c", source: "/b", makesSource: true },
      { kind: VOLUME, destination: "/d", name: "data", mode: "z" },
      { kind: VOLUME, destination: "/e", mode: "z", anonymous: true },
    ]);
  });

  test("options", () => {
    const read = (bind: string, version = 55) => (mounts({ Binds: [bind] }, version) as Json[])[0];
    expect(read("/a:/b:ro,rslave,z")).toMatchObject({ readOnly: true, deeplyReadOnly: true, propagation: "rslave" });
    expect(read("/a:/b:ro", 43)).not.toHaveProperty("deeplyReadOnly");
    expect(read("data:/b:nocopy,ro")).toMatchObject({ populated: true, readOnly: true, mode: "nocopy,ro" });
    expect(read("/a:/b:")).toEqual({ destination: "/b", source: "/a", makesSource: true });
  });

  test.each([
    [["/a:/b", "/c:/b/"], "Duplicate mount point: /b"],
    [["/a:/b:x"], "invalid mode: x"],
    [["/a:/b:ro,rw"], "invalid mode: ro,rw"],
    [["/data:ro"], "invalid volume specification: '/data:ro'"],
    [["/a:/b:/c:/d"], "invalid volume specification: '/a:/b:/c:/d'"],
    [[":/b"], "invalid volume specification: ':/b'"],
    [["/a:"], "invalid volume specification: '/a:'"],
    [["/a:b"], inBind("/a:b", "bind", "invalid mount path: 'b' mount path must be absolute")],
    [["ab:b"], inBind("ab:b", "volume", "invalid mount path: 'b' mount path must be absolute")],
    [["/a:/"], inBind("/a:/", "bind", "invalid specification: destination can't be '/'")],
    [["/a:/b:nocopy"], inBind("/a:/b:nocopy", "bind", "field VolumeOptions must not be specified")],
    [["ab:/b:rslave"], inBind("ab:/b:rslave", "volume", "field BindOptions must not be specified")],
    [["a:/b"], "create a: volume name is too short, names should be at least two alphanumeric characters"],
    [["x?y:/b"], /^create x\?y: "x\?y" includes invalid characters for a local volume name/],
  ])("%j is refused", (Binds, text) => {
    const message: unknown = typeof text === "string" ? text : expect.stringMatching(text);
    expect(mounts({ Binds })).toEqual([400, message]);
  });

  test("volumes stand where nothing else does", () => {
    const config = { Volumes: { "/a": {}, "/b/": {}, "/c": {} } };
    expect(mounts({ Binds: ["/x:/a"], Tmpfs: { "/c/": "" } }, 55, config)).toEqual([
      { destination: "/a", source: "/x", makesSource: true },
      { kind: VOLUME, destination: "/b", anonymous: true },
    ]);
    expect(mounts({ Binds: ["/x:/c"], Tmpfs: { "/c/": "" } })).toEqual([400, "Duplicate mount point: /c"]);
  });
});

function inBind(bind: string, type: string, problem: string): string {
  return `invalid volume specification: '${bind}': invalid mount config for type "${type}": ${problem}`;
}
