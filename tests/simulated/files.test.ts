// Files of the simulated world: a small POSIX.

import { describe, expect, test } from "vitest";
import { WorldFaults } from "../../hosts/simulated/world-faults.js";
import type { MountSpec } from "../../hosts/simulated/files/disk.js";
import { Disk } from "../../hosts/simulated/files/disk.js";
import type { MountedFiles } from "../../hosts/simulated/files/mounted-files.js";

const ID = "a".repeat(64);
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const bytes = (content: string): Uint8Array => new TextEncoder().encode(content);

describe("a container's files", () => {
  test("files can be written, read again, appended to and replaced", () => {
    const { files } = world();
    files.write("/a", bytes("one"));
    files.append("/a", bytes(" two"));
    const before = files.read("/a");
    files.append("/a", bytes(" three"));
    expect([text(before), text(files.read("/a"))]).toEqual(["one two", "one two three"]);
    files.write("/a", bytes("x"), 0o600);
    expect(files.status("/a")).toMatchObject({ kind: "file", size: 1, mode: 0o644, links: 1, modified: 7n });
  });

  test("links lead to their targets, and not out of the root", () => {
    const { files } = world();
    files.makeDirectory("/d");
    files.write("/d/f", bytes("f"));
    files.symlink("../../../d/f", "/d/up");
    files.symlink("/d", "/abs");
    files.symlink("loop", "/loop");
    expect([files.resolve("/abs/up"), files.resolve("/../../d/./f")]).toEqual(["/d/f", "/d/f"]);
    expect(files.linkStatus("/abs")).toMatchObject({ kind: "symlink", target: "/d", size: 2 });
    expect(() => files.read("/loop")).toThrow(code("ELOOP"));
    files.symlink("/d/new", "/dangling");
    files.write("/dangling", bytes("made"));
    expect(text(files.read("/d/new"))).toBe("made");
  });

  test("hard links share one file until the last name goes", () => {
    const { files, disk } = world();
    files.write("/a", bytes("12345"));
    files.link("/a", "/b");
    files.append("/b", bytes("6"));
    expect([text(files.read("/a")), files.status("/a").links]).toEqual(["123456", 2]);
    const used = disk.room.used;
    files.remove("/a");
    expect([disk.room.used, files.status("/b").links]).toEqual([used, 1]);
    files.remove("/b");
    expect(disk.room.used).toBe(used - 6);
  });

  test("refusals are those of the system calls", () => {
    const { files } = world();
    files.makeDirectory("/d/");
    files.write("/d/f", bytes(""));
    const refusals: [() => void, string][] = [
      [() => files.read("/none"), "ENOENT"],
      [() => files.read("/d"), "EISDIR"],
      [() => files.write("/d", bytes("")), "EISDIR"],
      [() => files.write("/new/", bytes("")), "EISDIR"],
      [() => files.status("/d/f/"), "ENOTDIR"],
      [() => files.read("/d/f/g"), "ENOTDIR"],
      [() => files.list("/d/f"), "ENOTDIR"],
      [() => files.makeDirectory("/d"), "EEXIST"],
      [() => files.makeDirectory("/x/y"), "ENOENT"],
      [() => files.remove("/d"), "EISDIR"],
      [() => files.removeDirectory("/d"), "ENOTEMPTY"],
      [() => files.removeDirectory("/d/f"), "ENOTDIR"],
      [() => files.removeDirectory("/proc"), "EBUSY"],
      [() => files.rename("/d", "/d/e"), "EINVAL"],
      [() => files.rename("/d/f", "/d"), "ENOTEMPTY"],
      [() => files.rename("/.dockerenv", "/d"), "EISDIR"],
      [() => files.rename("/d/f", "/dev/f"), "EXDEV"],
      [() => files.link("/d", "/e"), "EPERM"],
      [() => files.symlink("x", "/d"), "EEXIST"],
      [() => files.read(""), "ENOENT"],
      [() => files.write("/a\0b", bytes("")), "EINVAL"],
      [() => files.write("/dev/full", bytes("x")), "ENOSPC"],
    ];
    for (const [act, expected] of refusals) expect(act, act.toString()).toThrow(code(expected));
  });

  test("a rename moves a file, and replaces an existing one", () => {
    const { files } = world();
    files.makeDirectory("/d");
    files.write("/d/f", bytes("f"));
    files.write("/g", bytes("g"));
    files.rename("/d/f", "/g");
    files.rename("/d", "/e");
    expect([text(files.read("/g")), files.list("/e"), files.list("/").includes("d")]).toEqual(["f", [], false]);
  });

  test("users other than root need permissions", () => {
    const { files } = world();
    files.write("/secret", bytes("s"), 0o600);
    files.makeDirectory("/closed", 0o700);
    files.makeDirectory("/shared", 0o1777);
    files.write("/shared/roots", bytes(""), 0o644);
    const somebody = files.as({ uid: 1000, groups: [100] });
    expect(() => somebody.read("/secret")).toThrow(code("EACCES"));
    expect(() => somebody.list("/closed")).toThrow(code("EACCES"));
    expect(() => somebody.write("/f", bytes(""))).toThrow(code("EACCES"));
    expect(() => somebody.remove("/shared/roots")).toThrow(code("EPERM"));
    expect(() => somebody.changeMode("/secret", 0o666)).toThrow(code("EPERM"));
    somebody.write("/shared/mine", bytes("m"));
    expect(files.status("/shared/mine")).toMatchObject({ uid: 1000, gid: 100 });
    expect([somebody.allows("/secret", 4), files.allows("/secret", 1)]).toEqual([false, false]);
  });
});

describe("mounts", () => {
  test("volumes are shared, tmpfs belongs to the run, container files stay and get new bytes", () => {
    const { disk } = world();
    disk.makeVolume("v");
    const mounts: MountSpec[] = [
      { destination: "/data", type: "bind", source: "volume:v", options: ["rbind"] },
      { destination: "/tmp/ram", type: "tmpfs", source: "tmpfs", options: ["size=1k", "mode=700"] },
      { destination: "/etc/hosts", type: "bind", source: "file:hosts", options: ["rbind"] },
    ];
    const spec = { mounts };
    disk.putMade(ID, "hosts", bytes("127.0.0.1 localhost\n"));
    const first = disk.mountView(ID, spec);
    first.write("/data/f", bytes("kept"));
    first.write("/tmp/ram/f", bytes("gone"));
    first.append("/etc/hosts", bytes("192.0.2.1 me\n"));
    expect(() => first.write("/tmp/ram/big", new Uint8Array(2000))).toThrow(code("ENOSPC"));
    const second = disk.mountView(ID, spec);
    expect(text(second.read("/etc/hosts"))).toBe("127.0.0.1 localhost\n192.0.2.1 me\n");
    disk.putMade(ID, "hosts", bytes("127.0.0.1 localhost\n"));
    expect(text(first.read("/etc/hosts"))).toBe("127.0.0.1 localhost\n");
    expect(text(second.read("/data/f"))).toBe("kept");
    expect(second.list("/tmp/ram")).toEqual([]);
    expect(text(second.read("/etc/hosts"))).toBe("127.0.0.1 localhost\n");
    expect(() => second.remove("/etc/hosts")).toThrow(code("EBUSY"));
    // The mount points were made in the container, the files were not.
    expect([disk.view(ID)?.list("/data"), disk.view(ID)?.list("/tmp")]).toEqual([[], ["ram"]]);
  });

  test("existing volumes are among the machine's files", () => {
    const { disk } = world();
    disk.makeVolume("v");
    const bound = (source: string, kind = "rbind"): MountedFiles =>
      disk.mountView(ID, { mounts: [{ destination: "/in", type: "bind", source, options: [kind] }] });
    bound("/var/lib/coracle/volumes/v/_data").write("/in/f", bytes("kept"));
    expect(text(bound("/var").read("/in/lib/coracle/volumes/v/_data/f"))).toBe("kept");
    expect(bound("/var", "bind").list("/in/lib/coracle/volumes/v/_data")).toEqual([]);
    const mounts = [{ destination: "/data", type: "bind", source: "volume:v", options: ["rbind"] }];
    expect(text(disk.mountView(ID, { mounts }).read("/data/f"))).toBe("kept");
    disk.dropVolume("v");
    expect(bound("/var").list("/in/lib/coracle/volumes")).toEqual([]);
  });

  test("binds lead to the machine's files, links on the way stay within the container", () => {
    const { disk } = world([], (files) => files.symlink("/real", "/link"));
    disk.makeDirectory("/srv/deep");
    disk.makeDirectory("/srv/");
    disk.machine.write("/srv/f", bytes("machine"));
    const files = disk.mountView(ID, {
      mounts: [{ destination: "/link/x", type: "bind", source: "/srv", options: ["rbind", "ro"] }],
    });
    expect([text(files.read("/link/x/f")), files.resolve("/link/x")]).toEqual(["machine", "/real/x"]);
    expect(() => files.write("/real/x/f", bytes(""))).toThrow(code("EROFS"));
    expect(() => disk.mountView(ID, { mounts: [{ destination: "/y", type: "bind", source: "/none" }] })).toThrow(
      code("ENOENT"),
    );
  });

  test("a read-only root allows writes only to mounts", () => {
    const { disk } = world();
    const files = disk.mountView(ID, {
      mounts: [
        { destination: "/dev", type: "tmpfs", source: "tmpfs" },
        { destination: "/tmp", type: "tmpfs" },
      ],
      readOnly: true,
    });
    const refused = [
      () => files.write("/f", bytes("")),
      () => files.makeDirectory("/d"),
      () => files.remove("/.dockerenv"),
      () => files.touch("/etc", 1n),
      () => files.rename("/etc", "/f"),
    ];
    for (const act of refused) expect(act).toThrow(code("EROFS"));
    files.write("/tmp/f", bytes("x"));
    files.write("/dev/null", bytes("x"));
    expect(files.read("/dev/null")).toHaveLength(0);
  });

  test("/proc shows the mounts, including those that the run adds", () => {
    const { disk } = world();
    const files = disk.mountView(ID, {
      mounts: [{ destination: "/proc", type: "proc", source: "proc", options: ["nosuid"] }],
      proc: () => new Map([["sys/kernel/hostname", () => "me\n"]]),
    });
    expect(text(files.read("/proc/mounts"))).toBe("overlay / overlay rw,relatime 0 0\nproc /proc proc rw,nosuid 0 0\n");
    expect(text(files.read("/etc/mtab"))).toBe(text(files.read("/proc/mounts")));
    expect(text(files.read("/proc/sys/kernel/hostname"))).toBe("me\n");
  });
});

describe("disk space", () => {
  test("is used by writes, freed by removals, and limited", () => {
    const { disk, files } = world([], () => {}, 1000);
    const before = disk.room.used;
    files.write("/a", new Uint8Array(500));
    expect(disk.room.used).toBe(before + 500);
    expect(() => files.write("/b", new Uint8Array(500))).toThrow(code("ENOSPC"));
    files.write("/a", new Uint8Array(10));
    files.write("/b", new Uint8Array(500));
    disk.dropContainer(ID);
    expect([disk.room.used, disk.view(ID)]).toEqual([before, null]);
  });

  test("is gone during the fault", () => {
    const { files, faults } = world();
    const lift = faults.inject({ kind: "disk-full" });
    expect(() => files.write("/a", bytes("x"))).toThrow("No space left on device");
    files.makeDirectory("/d");
    lift();
    files.write("/a", bytes("x"));
  });
});

test("a container's files stay after its runs, and go with the container", () => {
  const { disk, files } = world();
  files.write("/f", bytes("kept"));
  disk.unmount(ID);
  expect(() => disk.mountView(ID, { mounts: [] })).toThrow("no-such: file-system");
  disk.mount(ID, null);
  expect(text(disk.mountView(ID, { mounts: [] }).read("/f"))).toBe("kept");
});

/** A container without an image. */
function world(mounts: MountSpec[] = DEFAULT, prepare = (_: MountedFiles): void => {}, size = 1 << 30) {
  const faults = new WorldFaults();
  const disk = new Disk({ size, faults, now: () => 7n });
  disk.mount(ID, null);
  prepare(disk.mountView(ID, { mounts: [] }));
  return { disk, faults, files: disk.mountView(ID, { mounts }) };
}

function code(expected: string): object {
  return expect.objectContaining({ code: expected });
}

const DEFAULT: MountSpec[] = [
  { destination: "/proc", type: "proc", source: "proc" },
  { destination: "/dev", type: "tmpfs", source: "tmpfs", options: ["mode=755"] },
];
