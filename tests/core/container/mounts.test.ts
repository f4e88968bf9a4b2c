// Mounts of a container: what a request may say, by version, and the result.

import { beforeAll, describe, expect, test } from "vitest";
import { type Door, openDoor } from "../support/door.js";
import { EagerEngine } from "../support/eager-engine.js";

type Json = Record<string, unknown>;

let door: Door;
beforeAll(async () => {
  door = await openDoor("container-door");
}, 60_000);

/** `MountKind` of core/assembly/container/mounts/mount-point.ts. */
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
    [[`${"v".repeat(256)}:/b`], `create ${"v".repeat(256)}: file name too long`],
    [["x?y:/b"], /^create x\?y: "x\?y" includes invalid characters for a local volume name/],
  ])("%j is refused", (Binds, text) => {
    const message: unknown = typeof text === "string" ? text : expect.stringMatching(text);
    expect(mounts({ Binds })).toEqual([400, message]);
  });

  test("volumes are mounted where nothing else is", () => {
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

describe("mounts", () => {
  const one = (mount: Json, version = 55) => mounts({ Mounts: [mount] }, version);
  const bind = { Type: "bind", Source: "/a", Target: "/b" };

  test("a bind", () => {
    expect(one(bind)).toEqual([{ destination: "/b", source: "/a" }]);
    const BindOptions = { Propagation: "rslave", NonRecursive: true, CreateMountpoint: true };
    expect(one({ ...bind, ReadOnly: true, BindOptions })).toEqual([
      {
        ...{ destination: "/b", source: "/a", readOnly: true, deeplyReadOnly: true },
        ...{ alone: true, propagation: "rslave", makesSource: true },
      },
    ]);
  });

  test("options newer than the request's version are ignored", () => {
    const BindOptions = { NonRecursive: true, CreateMountpoint: true, ReadOnlyNonRecursive: true };
    const read = (version: number) => (one({ ...bind, ReadOnly: true, BindOptions }, version) as Json[])[0];
    expect(read(39)).toEqual({ destination: "/b", source: "/a", readOnly: true });
    expect(read(41)).toEqual({ destination: "/b", source: "/a", readOnly: true, alone: true });
    expect(read(43)).toMatchObject({ makesSource: true });
    expect(read(55)).not.toHaveProperty("deeplyReadOnly");
    expect(mounts({ Mounts: [bind] }, 24)).toMatchObject([{ destination: "/b", source: "/a" }]);
  });

  test("a volume", () => {
    const volume = { Type: "volume", Target: "/b" };
    expect(one(volume)).toEqual([{ kind: VOLUME, destination: "/b", mode: "z", anonymous: true }]);
    const VolumeOptions = { NoCopy: true, Labels: { a: "b" }, DriverConfig: { Name: "local" } };
    expect(one({ ...volume, Source: "data", VolumeOptions })).toEqual([
      { kind: VOLUME, destination: "/b", name: "data", mode: "z", populated: true },
    ]);
    expect(one({ ...volume, Source: "data", VolumeOptions: { Subpath: "x/./y/" } })).toMatchObject([
      { subpath: "x/y" },
    ]);
  });

  test("a tmpfs", () => {
    const TmpfsOptions = { SizeBytes: 4096, Mode: 0o700, Options: [["exec"]] };
    const tmpfs = { Type: "tmpfs", Target: "/b" };
    expect(one({ ...tmpfs, ReadOnly: true, TmpfsOptions })).toEqual([
      { kind: 2, destination: "/b", readOnly: true, options: ["ro", "mode=700", "size=4096", "exec"] },
    ]);
    expect(one({ ...tmpfs, TmpfsOptions }, 24)).toMatchObject([{ options: ["mode=700", "size=4096", "exec"] }]);
  });

  test.each([
    [{}, 'type "": field Target must not be empty'],
    [{ Type: "bind", Target: "/b" }, 'type "bind": field Source must not be empty'],
    [{ Type: "bind", Source: "a", Target: "/b" }, `type "bind": invalid mount path: 'a' mount path must be absolute`],
    [{ Type: "bind", Source: "/a", Target: "b" }, `type "bind": invalid mount path: 'b' mount path must be absolute`],
    [{ Type: "bind", Source: "/a", Target: "//" }, `type "bind": invalid specification: destination can't be '/'`],
    [{ ...bind, BindOptions: { Propagation: "x" } }, 'type "bind": invalid propagation mode: x'],
    [{ ...bind, VolumeOptions: {} }, 'type "bind": field VolumeOptions must not be specified'],
    [{ ...bind, TmpfsOptions: {} }, 'type "bind": field TmpfsOptions must not be specified'],
    [{ Type: "volume", Target: "/b", BindOptions: {} }, 'type "volume": field BindOptions must not be specified'],
    [
      { Type: "volume", Target: "/b", ReadOnly: true },
      'type "volume": must not set ReadOnly mode when using anonymous volumes',
    ],
    [
      { Type: "volume", Source: "data", Target: "/b", VolumeOptions: { Subpath: "x/../../y" } },
      'type "volume": subpath must be a relative path within the volume',
    ],
    [{ Type: "tmpfs", Source: "a", Target: "/b" }, 'type "tmpfs": field Source must not be specified'],
    [{ Type: "tmpfs", Target: "/b", TmpfsOptions: { Options: [["suid"]] } }, 'type "tmpfs": invalid option: suid'],
    [{ Type: "npipe", Source: "a", Target: "/b" }, 'type "npipe": mount type unknown'],
  ])("%j is invalid", (mount, text) => {
    expect(one(mount)).toEqual([400, `invalid mount config for ${text}`]);
  });

  test("options that need a newer version, another driver, or an unsupported feature", () => {
    const volume = { Type: "volume", Source: "data", Target: "/b" };
    const force = { ...bind, BindOptions: { ReadOnlyForceRecursive: true } };
    expect(one(force, 43)).toEqual([400, "BindOptions.ReadOnlyForceRecursive needs API v1.44 or newer"]);
    const part = { ...volume, VolumeOptions: { Subpath: "x" } };
    expect(one(part, 44)).toEqual([400, "VolumeOptions.Subpath needs API v1.45 or newer"]);
    const image = { Type: "image", Source: "i", Target: "/b" };
    expect(one(image, 47)).toEqual([400, 'Mount type "Image" needs API v1.48 or newer']);
    expect(one(image)).toEqual([404, "No such image: i:latest"]);
    expect(one({ ...image, Type: "cluster" })).toEqual([501, "HostConfig.Mounts of type cluster is not built yet"]);
    expect(one({ ...volume, VolumeOptions: { DriverConfig: { Name: "nfs" } } })).toEqual([
      404,
      'create data: error looking up volume plugin nfs: plugin "nfs" not found',
    ]);
  });

  test("recursive read-only, or not: only for read-only mounts, and not both", () => {
    const asks = (ReadOnly: boolean, ...names: string[]) =>
      one({ ...bind, ReadOnly, BindOptions: Object.fromEntries(names.map((name) => [name, true])) });
    const [shallow, deep] = ["ReadOnlyNonRecursive", "ReadOnlyForceRecursive"] as const;
    const conflict = 'invalid mount config for type "bind": mount options conflict: ';
    expect(asks(true)).toEqual([{ destination: "/b", source: "/a", readOnly: true, deeplyReadOnly: true }]);
    expect(asks(true, shallow)).toEqual([{ destination: "/b", source: "/a", readOnly: true }]);
    expect(asks(false, shallow)).toEqual([400, `${conflict}!ReadOnly && BindOptions.${shallow}`]);
    expect(asks(false, deep)).toEqual([400, `${conflict}!ReadOnly && BindOptions.${deep}`]);
    expect(asks(true, shallow, deep)).toEqual([400, `${conflict}${shallow} && BindOptions.${deep}`]);
  });

  test.each([
    ["6.1.0-13-amd64", 201],
    ["5.12.0", 201],
    ["5.11.22-1", 400],
    ["4.19.0", 400],
  ])("recursive read-only, on Linux %s", (kernelVersion, status) => {
    const engine = new EagerEngine([], { kernelVersion });
    const create = (BindOptions: Json) => {
      const HostConfig = { Mounts: [{ ...bind, ReadOnly: true, BindOptions }] };
      return engine.request("POST", "/v1.55/containers/create", { Image: "busybox", HostConfig });
    };
    // Unless it is required, it is done as far as the kernel can.
    expect(create({}).status).toBe(201);
    const { status: answered, body } = create({ ReadOnlyForceRecursive: true });
    expect(answered).toBe(status);
    const text = 'invalid mount config for type "bind": ReadOnlyForceRecursive needs Linux 5.12 or newer';
    if (status === 400) expect(JSON.parse(body)).toEqual({ message: text });
  });

  test("options of another type are ignored before 1.42", () => {
    const mixed = { ...bind, VolumeOptions: { NoCopy: true }, TmpfsOptions: {} };
    expect(one(mixed, 41)).toEqual([{ destination: "/b", source: "/a" }]);
    expect(one(mixed, 42)).toEqual([
      400,
      'invalid mount config for type "bind": field VolumeOptions must not be specified',
    ]);
  });

  test("each destination can be used only once", () => {
    expect(mounts({ Binds: ["/x:/b"], Mounts: [bind] })).toEqual([400, "Duplicate mount point: /b"]);
    expect(mounts({ Mounts: [bind, { ...bind, Target: "/b/" }] })).toEqual([400, "Duplicate mount point: /b/"]);
  });
});

test("volumes-from", () => {
  const from = (text: string) => mounts({ VolumesFrom: [text] });
  expect(from("")).toEqual([400, "volumes-from specification cannot be an empty string"]);
  expect(from("nobody")).toEqual([400, "No such container: nobody"]);
  expect(from("nobody:x")).toEqual([400, "invalid mode: x"]);
  expect(from("nobody:rslave")).toEqual([400, "invalid mode: rslave"]);
  expect(from("nobody:nocopy")).toEqual([400, "invalid mode: nocopy"]);
});
