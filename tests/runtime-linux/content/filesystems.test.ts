// Leftovers of a container's mount point, with a kernel that mounts nothing: without root. Held secrets: with root.

import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { registryClient } from "../../../hosts/registry/client.js";
import { linuxContent } from "../../../runtime-linux/content.js";
import { Filesystems, RAMFS_MAGIC } from "../../../runtime-linux/content/filesystems.js";
import { Layers } from "../../../runtime-linux/content/layers/layers.js";
import { libc } from "../../../runtime-linux/kernel/libc.js";
import { Recorder } from "../../../runtime-linux/kernel/recorder.js";
import { Paths } from "../../../runtime-linux/paths.js";
import { describeUnless } from "../../support/on-engines.js";

const missing = process.getuid?.() === 0 ? null : "needs root";
if (missing !== null) console.log(`skipped: held secrets: ${missing}`);
const ID = "c".repeat(64);
const root = mkdtempSync(join(tmpdir(), "coracle-filesystems-"));
afterAll(() => rmSync(root, { recursive: true }));

function open(name: string) {
  const kernel = new Recorder();
  const paths = new Paths({ data: join(root, name, "data"), exec: join(root, name, "exec") });
  return { kernel, paths, filesystems: new Filesystems(paths, kernel, new Layers(paths, kernel)) };
}

test("a mount that fails leaves no directory", async () => {
  const { kernel, paths, filesystems } = open("fails");
  kernel.fail("mount", "ENOMEM");
  await expect(filesystems.mount({ container: ID, bare: false })).rejects.toMatchObject({ code: "ENOMEM" });
  expect(kernel.calls.map(([name]) => name)).toContain("mount");
  expect(existsSync(paths.liveContainer(ID))).toBe(false);
});

test("mounts and unmounts are never abandoned: each reports its own failure", async () => {
  const { kernel, paths } = open("given-up");
  const { perform } = linuxContent({
    paths,
    kernel,
    log: () => Promise.reject(new Error("no container has a log")),
    bodies: {
      take: () => never(),
      session: () => never(),
      upload: () => never(),
      credentials: () => Promise.reject(new Error("no session")),
      secret: () => Promise.reject(new Error("no session")),
      deliver: () => Promise.reject(new Error("no session")),
      agent: () => Promise.reject(new Error("no session")),
      document: () => Promise.reject(new Error("no session")),
      blob: () => never(),
      give: () => Promise.reject(new Error("no session")),
    },
    registry: registryClient(),
  });
  kernel.fail("mount", "ENOMEM");
  const mounting = perform(1n, { tag: "mount", val: { container: ID, bare: false } }, never);
  const unmounting = perform(2n, { tag: "unmount", val: "no id" }, never);
  const told = Promise.allSettled([mounting, unmounting]);
  for (const op of [1n, 2n]) await perform(0n, { tag: "abandon", val: op }, never);
  const what = { tag: "malformed", val: { what: "container-id", text: "no id" } };
  expect(await told).toMatchObject([{ reason: { code: "ENOMEM" } }, { reason: { failure: what } }]);
});

function never(): never {
  return expect.unreachable();
}

test("unmounting removes the directories of a killed engine", async () => {
  const { kernel, paths, filesystems } = open("killed");
  mkdirSync(paths.rootfs(ID), { recursive: true });
  await filesystems.unmount(ID);
  expect(existsSync(paths.liveContainer(ID))).toBe(false);
  await filesystems.unmount(ID);
  mkdirSync(paths.rootfs(ID), { recursive: true });
  mkdirSync(paths.run(ID, 1), { recursive: true });
  await filesystems.unmount(ID);
  expect(existsSync(paths.rootfs(ID))).toBe(false);
  expect(existsSync(paths.run(ID, 1))).toBe(true);
  expect(kernel.calls).toEqual([]);
});

describeUnless(missing, "a held secret", () => {
  const secret = { container: ID, owner: 5, group: 6, mode: 0o440 };
  const open = (name: string) => {
    const paths = new Paths({ data: join(root, name, "data"), exec: join(root, name, "exec") });
    return { paths, filesystems: new Filesystems(paths, libc, new Layers(paths, libc)) };
  };

  test("is on a ramfs of its own, and erased for whoever has it open or bound elsewhere", async () => {
    const { paths, filesystems } = open("held");
    const bytes = Buffer.from("the secret");
    await filesystems.holdSecret(secret, bytes);
    const file = paths.heldSecret(ID);
    expect(String(bytes)).toBe("\0".repeat(10));
    expect(statfsSync(file).type).toBe(RAMFS_MAGIC);
    expect(statSync(paths.rootfs(ID)).mode & 0o777).toBe(0o700);
    expect(statSync(file)).toMatchObject({ uid: 5, gid: 6, mode: 0o100440 });
    const bound = join(root, "bound");
    mkdirSync(bound);
    const script = 'mount --bind "$0" "$1"; echo ready; exec sleep 60';
    const copy = spawn("unshare", ["--mount", "--propagation=private", "sh", "-c", script, paths.rootfs(ID), bound]);
    try {
      await once(copy.stdout, "data");
      const copied = join("/proc", String(copy.pid), "root", bound);
      const held = openSync(join(copied, "secret"), "r");
      expect(readFileSync(join(copied, "secret"), "utf8")).toBe("the secret");
      await filesystems.unmount(ID);
      expect(statfsSync(copied).type).toBe(RAMFS_MAGIC);
      expect(readdirSync(copied)).toEqual([]);
      expect(readFileSync(held, "utf8")).toBe("");
      closeSync(held);
    } finally {
      copy.kill("SIGKILL");
    }
    expect(existsSync(paths.liveContainer(ID))).toBe(false);
  });

  test("that was never written is unmounted, too, and a container's own file of that name stays", async () => {
    const { paths, filesystems } = open("others");
    mkdirSync(paths.rootfs(ID), { recursive: true });
    libc.mount("ramfs", paths.rootfs(ID), "ramfs", 0, "mode=0700");
    await filesystems.unmount(ID);
    expect(existsSync(paths.rootfs(ID))).toBe(false);
    await filesystems.mount({ container: ID, bare: true });
    writeFileSync(paths.heldSecret(ID), "no secret");
    await filesystems.unmount(ID);
    expect(readFileSync(join(paths.upper(ID), "secret"), "utf8")).toBe("no secret");
  });
});
