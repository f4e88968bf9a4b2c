// cgroups of either version: freezing, moving and killing.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Cgroups } from "../../../runtime-linux/cgroups/cgroups.js";
import { Paths } from "../../../runtime-linux/paths.js";
import { Recorder } from "../../../runtime-linux/kernel/recorder.js";

const ID = "d".repeat(64);
const paths = new Paths({ data: "/data", exec: "/run/coracle" });
let scratch: string;
beforeEach(() => void (scratch = mkdtempSync(join(tmpdir(), "coracle-cgroups-"))));
afterEach(() => rmSync(scratch, { recursive: true }));

/** A hierarchy of files that look like the kernel's; returns its line of mountinfo. */
function hierarchy(name: string, type: "cgroup" | "cgroup2", files: Record<string, string>): string {
  const group = join(scratch, name, paths.cgroup(ID));
  mkdirSync(group, { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(group, file), text);
  return `31 23 0:28 / ${join(scratch, name)} rw,relatime - ${type} ${type} rw,${name}\n`;
}

const written = (name: string, file: string) => readFileSync(join(scratch, name, paths.cgroup(ID), file), "utf8");

it("freezes with cgroup v2 if there is nothing else", async () => {
  const mounts = hierarchy("all", "cgroup2", { "cgroup.freeze": "0", "cgroup.events": "populated 1\nfrozen 1\n" });
  await new Cgroups(new Recorder(), paths, mounts).freeze(ID);
  expect(written("all", "cgroup.freeze")).toBe("1");
});

it("freezes with v1's freezer if both exist", async () => {
  const both = hierarchy("unified", "cgroup2", { "cgroup.freeze": "0" }) + hierarchy("freezer", "cgroup", {});
  const cgroups = new Cgroups(new Recorder(), paths, both);
  await cgroups.freeze(ID);
  expect(written("freezer", "freezer.state")).toBe("FROZEN");
  await cgroups.thaw(ID);
  expect(written("freezer", "freezer.state")).toBe("THAWED");
  expect(written("unified", "cgroup.freeze")).toBe("0");
});

it("uses cgroup v2 if it is mounted twice, and if v1 has only a controller that limits no container", async () => {
  const files = { "cgroup.freeze": "0", "cgroup.events": "frozen 1\n" };
  const first = hierarchy("first", "cgroup2", files);
  for (const other of [hierarchy("second", "cgroup2", files), hierarchy("net_cls", "cgroup", {}), NAMED]) {
    writeFileSync(join(scratch, "first", paths.cgroup(ID), "cgroup.freeze"), "0");
    const cgroups = new Cgroups(new Recorder(), paths, first + other);
    expect(cgroups.controller("memory")).toMatchObject({ path: join(scratch, "first"), v2: true });
    await cgroups.freeze(ID);
    expect(written("first", "cgroup.freeze")).toBe("1");
  }
  const both = new Cgroups(new Recorder(), paths, first + hierarchy("memory", "cgroup", {}));
  expect(both.controller("memory")).toMatchObject({ path: join(scratch, "memory"), v2: false });
  expect(both.controller("cpu")).toBeUndefined();
});

/** A v1 hierarchy that only keeps track of processes. */
const NAMED = "32 23 0:29 / /nowhere/systemd rw,relatime - cgroup cgroup rw,xattr,name=systemd\n";

it.each(["", "/par", "/parent", `/parent/${ID.slice(1)}`])(
  "has no other processes, even if a full disk left only '%s' of its group's name",
  (left) => {
    const own = new Paths({ data: "/data", exec: join(scratch, "exec") });
    mkdirSync(own.liveContainer(ID), { recursive: true });
    writeFileSync(join(own.liveContainer(ID), "cgroup"), left);
    const mounts = hierarchy("shared", "cgroup2", {});
    for (const group of ["", "par", "parent", `parent/${ID.slice(1)}`]) {
      mkdirSync(join(scratch, "shared", group), { recursive: true });
      writeFileSync(join(scratch, "shared", group, "cgroup.procs"), "1\n");
    }
    expect(new Cgroups(new Recorder(), own, mounts).pids(ID)).toEqual(new Set());
  },
);

it("moves the engine to its own group", async () => {
  const [, named = "", group = ""] = readFileSync("/proc/self/cgroup", "utf8").split("\n")[0]!.split(":");
  const own = join(scratch, "own", group, "cgroup.procs");
  mkdirSync(join(own, ".."), { recursive: true });
  writeFileSync(own, "");
  const [type, options] = named === "" ? ["cgroup2", "rw"] : ["cgroup", `rw,${named}`];
  const line = `31 23 0:28 / ${join(scratch, "own")} rw,relatime - ${type} ${type} ${options}\n`;
  const cgroups = new Cgroups(new Recorder(), paths, line);
  cgroups.expectMove();
  await expect.poll(() => readFileSync(own, "utf8")).toBe("0");
});

it("moves nothing if its own group is not visible", async () => {
  const cgroups = new Cgroups(new Recorder(), paths, hierarchy("strange", "cgroup", {}));
  expect(() => cgroups.expectMove()).not.toThrow();
});

it("releases a group's realtime budget before its removal, since the kernel would still count it for a while", async () => {
  const file = "cpu.rt_runtime_us";
  const mounts = hierarchy("cpu", "cgroup", { [file]: "10000\n" });
  // These are real files, which prevent the directory's removal.
  expect(await new Cgroups(new Recorder(), paths, mounts).removeEmpty(ID)).toBe(false);
  expect(written("cpu", file)).toBe("0");
  rmSync(join(scratch, "cpu", paths.cgroup(ID), file));
});

it("waits until all processes are frozen", async () => {
  const mounts = hierarchy("slow", "cgroup2", { "cgroup.freeze": "0", "cgroup.events": "frozen 0\n" });
  let isFrozen = false;
  const freezing = new Cgroups(new Recorder(), paths, mounts).freeze(ID).then(() => (isFrozen = true));
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(isFrozen).toBe(false);
  hierarchy("slow", "cgroup2", { "cgroup.events": "frozen 1\n" });
  await freezing;
});

it("gives up on a process that never freezes, and thaws the rest", async () => {
  const mounts = hierarchy("stuck", "cgroup2", { "cgroup.freeze": "0", "cgroup.events": "frozen 0\n" });
  const freezing = new Cgroups(new Recorder(), paths, mounts, 50).freeze(ID);
  expect(written("stuck", "cgroup.freeze")).toBe("1");
  await expect(freezing).rejects.toMatchObject({ failure: { tag: "unmoved", val: { what: "freeze" } } });
  expect(written("stuck", "cgroup.freeze")).toBe("0");
});

it("reports if nothing can be frozen", async () => {
  await expect(new Cgroups(new Recorder(), paths, hierarchy("memory", "cgroup", {})).freeze(ID)).rejects.toThrow(
    "no-such: kernel-file freezer",
  );
});

it("kills every process of the group and its subgroups, in any hierarchy", async () => {
  const mounts =
    hierarchy("pids", "cgroup", { "cgroup.procs": "11\n12\n" }) +
    hierarchy("freezer", "cgroup", { "cgroup.procs": "0\n12\n" });
  mkdirSync(join(scratch, "pids", paths.cgroup(ID), "below"));
  writeFileSync(join(scratch, "pids", paths.cgroup(ID), "below/cgroup.procs"), "13\n");
  const kernel = new Recorder();
  const killing = new Cgroups(kernel, paths, mounts).kill(ID);
  for (const name of ["pids", "freezer"]) rmSync(join(scratch, name), { recursive: true }); // they disappear at once
  expect(await killing).toBe(false);
  expect(kernel.calls.toSorted()).toEqual([
    ["kill", 11, 9],
    ["kill", 12, 9],
    ["kill", 13, 9],
  ]);
});

it("does nothing for a missing group", async () => {
  const cgroups = new Cgroups(new Recorder(), paths, hierarchy("other", "cgroup", {}).replace("other", "nowhere"));
  expect(await cgroups.kill("e".repeat(64))).toBe(true);
  await cgroups.remove("e".repeat(64));
});

it("removes an empty group from every hierarchy, and leaves any other", async () => {
  const both = hierarchy("pids", "cgroup", {}) + hierarchy("cpu", "cgroup", {});
  const cgroups = new Cgroups(new Recorder(), paths, both);
  mkdirSync(join(scratch, "cpu", paths.cgroup(ID), "inner"));
  expect(await cgroups.removeEmpty(ID)).toBe(false);
  rmdirSync(join(scratch, "cpu", paths.cgroup(ID), "inner"));
  expect(await cgroups.removeEmpty(ID)).toBe(true);
  for (const name of ["pids", "cpu"]) expect(existsSync(join(scratch, name, paths.cgroup(ID)))).toBe(false);
  expect(await cgroups.removeEmpty(ID)).toBe(true);
});

it("removes a group from many hierarchies, and those of other containers although one could not be removed", async () => {
  const names = ["pids", "cpu", "cpuset", "memory", "devices", "freezer", "blkio"];
  const mounts = names.map((name) => hierarchy(name, "cgroup", {})).join("");
  const cgroups = new Cgroups(new Recorder(), paths, mounts);
  const other = "e".repeat(64);
  const placeOf = (name: string, container: string) => join(scratch, name, paths.cgroup(container));
  for (const name of names) mkdirSync(placeOf(name, other));
  for (const name of ["cpu", "blkio"]) mkdirSync(join(placeOf(name, ID), "inner"));
  // Not a directory: the kernel refuses that in another way than a group that is in use.
  const odd = "f".repeat(64);
  writeFileSync(placeOf("pids", odd), "");
  const removed = [cgroups.removeEmpty(ID), cgroups.removeEmpty(odd), cgroups.removeEmpty(other)];
  expect((await Promise.allSettled(removed)).map((one) => (one.status === "fulfilled" ? one.value : "failed"))).toEqual(
    [false, "failed", true],
  );
  expect(names.filter((name) => existsSync(placeOf(name, other)))).toEqual([]);
  for (const name of ["cpu", "blkio"]) rmdirSync(join(placeOf(name, ID), "inner"));
  expect(await cgroups.removeEmpty(ID)).toBe(true);
  expect(names.filter((name) => existsSync(placeOf(name, ID)))).toEqual([]);
});
