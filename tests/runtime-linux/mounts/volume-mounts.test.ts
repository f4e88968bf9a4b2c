// File systems that are mounted on volumes. Needs root.

import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { volumes } from "../../../hosts/shared/host.js";
import { mountsBelow } from "../../../runtime-linux/content/files/mounted.js";
import { MNT_DETACH, MS_BIND } from "../../../runtime-linux/kernel.js";
import { libc } from "../../../runtime-linux/kernel/libc.js";
import { Recorder } from "../../../runtime-linux/kernel/recorder.js";
import { linuxVolumes, type LinuxVolumes } from "../../../runtime-linux/volumes.js";
import { describeUnless } from "../../support/on-engines.js";
import { failed, missing, openFixture, type Fixture } from "../content/content-fixture.js";

let fixture: Fixture;
let carrier: LinuxVolumes;
/** A directory of the machine with the file `own`. */
let directory: string;

beforeEach(() => {
  fixture = openFixture();
  carrier = linuxVolumes({ paths: fixture.paths, kernel: libc });
  directory = join(fixture.paths.roots.data, "machine");
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "own"), "machine's");
});
afterEach(() => {
  for (const point of mounted().reverse()) libc.umount(point, MNT_DETACH);
  fixture.close();
});

const perform = (command: volumes.VolumeCommand) => carrier.perform(1n, command, () => {});
const mounted = (): string[] => mountsBelow(fixture.paths.volumes());
const files = (name = "data"): string => fixture.paths.volume(name);
const memory = (options = ""): volumes.VolumeMount => ({ name: "data", fileSystem: "tmpfs", device: "tmpfs", options });
const bind = (options = "bind"): volumes.VolumeMount => ({ ...memory(options), fileSystem: "none", device: directory });

describeUnless(missing, "the file system of a volume", () => {
  test("is mounted once and unmounted once, with any number of requests", async () => {
    for (const _ of [1, 2]) await perform({ tag: "mount", val: memory("size=1m,mode=700") });
    expect(mounted()).toEqual([files()]);
    expect(statSync(files()).mode & 0o777).toBe(0o700);
    writeFileSync(join(files(), "file"), "x");
    for (const _ of [1, 2]) await perform({ tag: "unmount", val: "data" });
    expect([mounted(), readdirSync(files())]).toEqual([[], []]);
  });

  test("is a directory of the machine, which a removal of the volume leaves as it is", async () => {
    await perform({ tag: "mount", val: bind() });
    expect(readFileSync(join(files(), "own"), "utf8")).toBe("machine's");
    await perform({ tag: "drop", val: "data" });
    expect([mounted(), carrier.names(), readdirSync(directory)]).toEqual([[], [], ["own"]]);
  });

  test("is read-only if it is bound so", async () => {
    await perform({ tag: "mount", val: bind("bind,ro") });
    expect(() => writeFileSync(join(files(), "new"), "")).toThrow("EROFS");
    expect(() => writeFileSync(join(directory, "new"), "")).not.toThrow();
  });

  test("is an overlay", async () => {
    const [upper, work] = [join(directory, "../upper"), join(directory, "../work")];
    for (const one of [upper, work]) mkdirSync(one);
    const options = `lowerdir=${directory},upperdir=${upper},workdir=${work}`;
    await perform({ tag: "mount", val: { name: "data", fileSystem: "overlay", device: "overlay", options } });
    writeFileSync(join(files(), "new"), "");
    expect(readdirSync(files()).sort()).toEqual(["new", "own"]);
    expect([readdirSync(upper), readdirSync(directory)]).toEqual([["new"], ["own"]]);
  });

  // Few kernels have these file systems, and no test has such servers: a recorder stands for the kernel.
  test.each<[string, Partial<volumes.VolumeMount>, [device: string, type: string, flags: number, data: string]]>([
    [
      "nfs by name",
      { fileSystem: "nfs", device: ":/x", options: "mountaddr=localhost,addr=localhost,rw,nolock,vers=4" },
      [":/x", "nfs", 0, "mountaddr=localhost,addr=127.0.0.1,nolock,vers=4"],
    ],
    [
      "nfs by address",
      { fileSystem: "nfs", device: ":/x", options: "addr=fd00::7,ro,noatime" },
      [":/x", "nfs", 1025, "addr=fd00::7"],
    ],
    [
      "nfs4, whose names Docker does not look up",
      { fileSystem: "nfs4", device: ":/x", options: "addr=localhost" },
      [":/x", "nfs4", 0, "addr=localhost"],
    ],
    [
      "cifs by the name in its device",
      { fileSystem: "cifs", device: "//localhost/share/localhost", options: "username=me,password=a b" },
      ["//127.0.0.1/share/localhost", "cifs", 0, "username=me,password=a b"],
    ],
    [
      "cifs by the address in its options",
      { fileSystem: "cifs", device: "//server/share", options: "addr=10.0.0.9,port=1445" },
      ["//server/share", "cifs", 0, "addr=10.0.0.9,port=1445"],
    ],
  ])("is that of a server: %s", async (_, change, [device, type, flags, data]) => {
    const kernel = new Recorder();
    const recorded = linuxVolumes({ paths: fixture.paths, kernel });
    await recorded.perform(1n, { tag: "mount", val: { ...memory(), ...change } }, () => {});
    expect(kernel.calls).toEqual([["mount", device, files(), type, flags, data]]);
  });

  test.each([
    [
      "a missing directory",
      { device: "/no/such", options: "bind,noexec" },
      { mountFlags: 4104, data: "", error: "ENOENT" },
    ],
    ["an unknown file system", { fileSystem: "nosuchfs" }, { mountFlags: 0, data: "", error: "ENODEV" }],
    ["unknown options", { options: "ro,a=b,c" }, { mountFlags: 1, data: "a=b,c", error: "EINVAL" }],
    ["no device", { device: "" }, { mountFlags: 0, data: "", error: "EINVAL" }],
    [
      "a server without an address",
      { fileSystem: "nfs", device: ":/x", options: "addr=no-such-host.invalid" },
      { device: "no-such-host.invalid", host: "no-such-host.invalid", mountFlags: 0, data: "", error: /^E/ },
    ],
  ])("%s: the refusal says what was tried, and nothing is mounted", async (_, change, told) => {
    const val = { ...memory(), ...change };
    const failure = await failed(perform({ tag: "mount", val }));
    const error = told.error instanceof RegExp ? (expect.stringMatching(told.error) as string) : told.error;
    const about = { device: val.device, place: files(), host: "", ...told, error };
    expect(failure).toEqual({ tag: "mount", val: about });
    expect(mounted()).toEqual([]);
  });

  test("gets an image's files if it is empty; an interrupted copy never removes files from it", async () => {
    const { id, rootfs } = await fixture.mount();
    mkdirSync(join(rootfs, "dir"));
    writeFileSync(join(rootfs, "dir/one"), "image's");
    const populate = (mount: volumes.VolumeMount, path = "/dir") =>
      perform({ tag: "populate", val: { name: "data", container: id, path, mount } });
    await perform({ tag: "make", val: "data" });
    await populate(memory(), "/missing");
    expect(mounted()).toEqual([]);
    await populate(memory());
    expect([mounted(), readFileSync(join(files(), "one"), "utf8")]).toEqual([[files()], "image's"]);
    await perform({ tag: "unmount", val: "data" });
    writeFileSync(join(files(), "../populating"), "");
    await populate(bind());
    expect(readdirSync(directory)).toEqual(["own"]);
  });

  test("a volume in which the machine's administrator has mounted something is not removed", async () => {
    await perform({ tag: "make", val: "data" });
    const inside = join(files(), "inside");
    mkdirSync(inside);
    libc.mount(directory, inside, "", MS_BIND, "");
    expect(await failed(perform({ tag: "drop", val: "data" }))).toMatchObject({
      tag: "call",
      val: { path: inside, error: "EBUSY" },
    });
    expect([existsSync(join(directory, "own")), mounted()]).toEqual([true, [inside]]);
    libc.umount(inside, MNT_DETACH);
    await perform({ tag: "drop", val: "data" });
    expect(carrier.names()).toEqual([]);
  });
});
