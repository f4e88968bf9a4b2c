// Leftovers of a container's mount point, with a kernel that mounts nothing: without root.

import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { registryClient } from "../../../hosts/registry/client.js";
import { linuxContent } from "../../../runtime-linux/content.js";
import { Filesystems } from "../../../runtime-linux/content/filesystems.js";
import { Layers } from "../../../runtime-linux/content/layers/layers.js";
import { Recorder } from "../../../runtime-linux/kernel/recorder.js";
import { Paths } from "../../../runtime-linux/paths.js";

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
    bodies: {
      take: () => never(),
      session: () => never(),
      credentials: () => Promise.reject(new Error("no session")),
      secret: () => Promise.reject(new Error("no session")),
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
