// Child processes start without a view of cgroup2, on machines with both versions of cgroups.

import { expect, it } from "vitest";
import { Hybrid } from "../../../runtime-linux/launch/hybrid.js";
import { CLONE_FS, CLONE_NEWNS, MNT_DETACH, MS_REC, MS_SLAVE } from "../../../runtime-linux/kernel.js";
import { Recorder } from "../../../runtime-linux/kernel/recorder.js";

const COPY = [
  ["unshare", CLONE_NEWNS],
  ["mount", "", "/", "", MS_REC | MS_SLAVE, ""],
  ["umount", "/sys/fs/cgroup/unified", MNT_DETACH],
];

it("starts children in one namespace copy where cgroup2 is hidden, and returns each time", () => {
  const kernel = new Recorder();
  const hybrid = new Hybrid(kernel, "/run/engine");
  const bear = () => hybrid.hide(() => kernel.calls.push(["spawn"]) && "child");
  const back = [
    ["setns", -1, CLONE_NEWNS],
    ["chdir", process.cwd()],
  ];
  expect(bear()).toBe("child");
  const [made, entered] = [kernel.calls.splice(0, 5), kernel.calls.splice(0)];
  expect(made).toEqual([...COPY, ...back]);
  expect(entered).toEqual([["unshare", CLONE_FS], ["setns", expect.any(Number), CLONE_NEWNS], ["spawn"], ...back]);
  bear();
  expect(kernel.calls).toEqual(entered);
  hybrid.close();
});

it("starts a child that must see all mounts in its own copy", () => {
  const kernel = new Recorder();
  const hybrid = new Hybrid(kernel, "/run/engine");
  hybrid.hide(() => kernel.calls.push(["spawn"]), "all");
  expect(kernel.calls.slice(0, 4)).toEqual([...COPY, ["spawn"]]);
  expect(kernel.calls.slice(4)).toEqual([
    ["setns", -1, CLONE_NEWNS],
    ["chdir", process.cwd()],
  ]);
});

it("starts a child that propagates mounts where they are shared with the machine, without the engine's own", () => {
  const kernel = new Recorder();
  const hybrid = new Hybrid(kernel, "/run/engine");
  hybrid.hide(() => kernel.calls.push(["spawn"]), "joined");
  expect(kernel.calls.slice(0, 5)).toEqual([
    ["unshare", CLONE_NEWNS],
    ["mount", "", "/sys/fs/cgroup", "", MS_REC | MS_SLAVE, ""],
    ["mount", "", "/run/engine", "", MS_REC | MS_SLAVE, ""],
    ["umount", "/sys/fs/cgroup/unified", MNT_DETACH],
    ["spawn"],
  ]);
});

it.each(["mount", "umount"] as const)("returns when %s fails, and starts nothing", (call) => {
  const kernel = new Recorder();
  kernel.fail(call, "EINVAL");
  const hide = () => new Hybrid(kernel, "/run/engine").hide(() => kernel.calls.push(["spawn"]));
  expect(hide).toThrow("EINVAL");
  const names = kernel.calls.map(([name]) => name);
  expect(names).not.toContain("spawn");
  expect(names.slice(-2)).toEqual(["setns", "chdir"]);
});

it("starts nothing if it cannot leave", () => {
  const kernel = new Recorder();
  kernel.fail("unshare", "EPERM");
  expect(() => new Hybrid(kernel, "/run/engine").hide(() => kernel.calls.push(["spawn"]))).toThrow("EPERM");
  expect(kernel.calls).toEqual([["unshare", CLONE_NEWNS]]);
});
