import { expect, it } from "vitest";
import { Hybrid } from "../../runtime-linux/hybrid.js";
import { CLONE_NEWNS, MNT_DETACH, MS_REC, MS_SLAVE } from "../../runtime-linux/kernel.js";
import { Recorder } from "../../runtime-linux/kernel/recorder.js";

it("bears a child where cgroup2 is out of sight, and comes back", () => {
  const kernel = new Recorder();
  const born = new Hybrid(kernel, "/run/engine").hide(() => {
    kernel.calls.push(["spawn"]);
    return "child";
  });
  expect(born).toBe("child");
  expect(kernel.calls).toEqual([
    ["unshare", CLONE_NEWNS],
    ["mount", "", "/", "", MS_REC | MS_SLAVE, ""],
    ["umount", "/sys/fs/cgroup/unified", MNT_DETACH],
    ["spawn"],
    ["setns", -1, CLONE_NEWNS],
    ["chdir", process.cwd()],
  ]);
});

it.each(["mount", "umount"] as const)("comes back when %s fails, and bears nothing", (call) => {
  const kernel = new Recorder();
  kernel.fail(call, "EINVAL");
  const hide = () => new Hybrid(kernel, "/run/engine").hide(() => kernel.calls.push(["spawn"]));
  expect(hide).toThrow("EINVAL");
  const names = kernel.calls.map(([name]) => name);
  expect(names).not.toContain("spawn");
  expect(names.slice(-2)).toEqual(["setns", "chdir"]);
});

it("bears nothing when it cannot leave", () => {
  const kernel = new Recorder();
  kernel.fail("unshare", "EPERM");
  expect(() => new Hybrid(kernel, "/run/engine").hide(() => kernel.calls.push(["spawn"]))).toThrow("EPERM");
  expect(kernel.calls).toEqual([["unshare", CLONE_NEWNS]]);
});
