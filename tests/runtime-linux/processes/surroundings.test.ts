// The environment of a container's processes: limits, users, mounts, seccomp filters; and launches that fail.

import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { failed } from "../../support/failed.js";
import { launchOf, makeRootfs, newId } from "./fixture.js";
import { onRuntimes } from "./on-runtimes.js";

onRuntimes("surroundings of processes", (on) => {
  const { perform, subject, launch, run, waitForLog, clear } = on;

  it("freezes and thaws", async () => {
    const { container } = await launch(["sh", "-c", "while :; do echo x; sleep 0.02; done"]);
    await waitForLog(container, "x");
    await perform({ tag: "pause", val: subject(container) });
    const log = await on.fixture.processes.stdio.log(container);
    await sleep(50);
    const frozen = await log.size();
    await sleep(150);
    expect(await log.size()).toBe(frozen);
    await perform({ tag: "pause", val: subject(container) });
    await perform({ tag: "resume", val: subject(container) });
    await sleep(150);
    expect(await log.size()).toBeGreaterThan(frozen);
    await log.close();
    await perform({ tag: "pause", val: subject(container) });
    await clear(container); // a frozen container can be reaped
    expect(on.fixture.exits.some((exit) => exit.container === container)).toBe(false);
  });

  it("applies limits", async () => {
    const limited = (spec: { linux: { resources: Record<string, unknown> } }) =>
      (spec.linux.resources = { memory: { limit: 20 << 20, swap: 20 << 20 }, pids: { limit: 7 } });
    const { container, pid } = await launch(["sleep", "100"], { spec: limited });
    const groups = readFileSync(`/proc/${pid}/cgroup`, "utf8");
    expect(groups).toContain(on.fixture.paths.cgroup(container));
    expect(limitFile("pids", on.fixture.paths.cgroup(container), "pids.max")).toBe("7");
    expect(limitFile("memory", on.fixture.paths.cgroup(container), "memory.limit_in_bytes", "memory.max")).toBe(
      String(20 << 20),
    );
    await clear(container);
    const greedy = await run(["sh", "-c", "dd if=/dev/zero of=/dev/null bs=60M count=1"], { spec: limited });
    expect(greedy.code).not.toBe(0);
  });

  it("reports that memory ran out", async () => {
    const limited = (spec: { linux: { resources: Record<string, unknown> } }) =>
      (spec.linux.resources = { memory: { limit: 20 << 20, swap: 20 << 20 } });
    const exit = await run(["dd", "if=/dev/zero", "of=/dev/null", "bs=60M", "count=1"], { spec: limited });
    expect({ code: exit.code, outOfMemory: exit.outOfMemory }).toEqual({ code: 137, outOfMemory: true });
  });

  it("filters system calls by default, by a profile, or not at all", async () => {
    const status = async (seccomp: string) => {
      const { stdout } = await run(["grep", "Seccomp:", "/proc/self/status"], { seccomp });
      return String(stdout).trim().split(/\s+/)[1];
    };
    expect(await status("default")).toBe("2");
    expect(await status("unconfined")).toBe("0");
    const noMkdir = JSON.stringify({
      defaultAction: "SCMP_ACT_ALLOW",
      syscalls: [{ names: ["mkdir", "mkdirat"], action: "SCMP_ACT_ERRNO", errnoRet: 95 }],
    });
    const refused = await run(["mkdir", "/tmp/x"], { seccomp: noMkdir });
    expect(String(refused.stderr)).toContain("not supported"); // errno 95
    expect((await run(["mkdir", "/tmp/x"])).code).toBe(0);
  });

  it("compares all 64 bits of a system call's arguments with a profile", async () => {
    const rule = (condition: string) =>
      `{"names":["ftruncate"],"action":"SCMP_ACT_ERRNO","errnoRet":95,"args":[{"index":1,${condition}}]}`;
    // Numbers of JavaScript are not exact beyond 2^53.
    const equal = rule('"value":9007199254740993,"op":"SCMP_CMP_EQ"');
    const masked = rule('"value":18446744073709551615,"valueTwo":9007199254740995,"op":"SCMP_CMP_MASKED_EQ"');
    const seccomp = `{"defaultAction":"SCMP_ACT_ALLOW","syscalls":[${equal},${masked}]}`;
    const refused = async (size: string) =>
      String((await run(["truncate", "-s", size, "/tmp/x"], { seccomp })).stderr).includes("not supported"); // errno 95
    expect(await refused("9007199254740993")).toBe(true);
    expect(await refused("9007199254740995")).toBe(true);
    for (const size of ["9007199254740992", "9007199254740994", "9007199254740996"]) {
      expect([size, await refused(size)]).toEqual([size, false]);
    }
  });

  it("looks up users in the container's own files", async () => {
    const id = async (user: string, groups: string[] = []) =>
      String((await run(["sh", "-c", "id; echo $HOME"], { user, groups })).stdout).trim();
    expect(await id("")).toBe("uid=0(root) gid=0(root) groups=0(root)\n/root");
    expect(await id("alice")).toBe("uid=1000(alice) gid=1000(alice) groups=10(wheel),1000(alice)\n/home/alice");
    expect(await id("alice:wheel")).toBe("uid=1000(alice) gid=10(wheel) groups=10(wheel)\n/home/alice");
    expect(await id("77:88", ["wheel", "99"])).toBe("uid=77 gid=88 groups=10(wheel),88,99\n/");
    await expect(launch(["id"], { user: "bob" })).rejects.toThrow("no-such: user bob");
  });

  it("gives users other than root only the bounding set of capabilities", async () => {
    const all = ["CAP_KILL", "CAP_NET_RAW"]; // bits 5 and 13: capabilities(7)
    const sets = async (user: string) => {
      const { stdout } = await run(["grep", "Cap", "/proc/self/status"], {
        user,
        spec: ({ process }) => {
          process.capabilities = { bounding: all, effective: all, permitted: all };
          Object.assign(process.capabilities, { inheritable: all, ambient: all });
        },
      });
      const lines = String(stdout).trim().split("\n");
      return Object.fromEntries(lines.map((line) => line.split(":\t").map((part) => part.replace(/^0+(?=.)/, ""))));
    };
    expect(await sets("alice")).toEqual({ CapInh: "0", CapPrm: "0", CapEff: "0", CapBnd: "2020", CapAmb: "0" });
    expect(await sets("")).toMatchObject({ CapPrm: "2020", CapEff: "2020", CapBnd: "2020" });
  });

  it("mounts the files made for a container", async () => {
    const { stdout } = await run(["cat", "/etc/hosts", "/etc/resolv.conf"], {
      files: [{ name: "hosts", content: Buffer.from("127.0.0.1 me\n") }, { name: "resolv.conf" }],
      spec: (spec) => {
        for (const name of ["hosts", "resolv.conf"])
          spec.mounts.push({
            destination: `/etc/${name}`,
            type: "bind",
            source: `file:${name}`,
            options: ["rbind", "rprivate"],
          });
      },
    });
    const own = existsSync("/etc/resolv.conf") ? readFileSync("/etc/resolv.conf", "utf8") : "";
    expect(String(stdout)).toBe(`127.0.0.1 me\n${own}`);
  });

  it("hides a run's files from other users of the machine, and shows mounted ones to all users inside", async () => {
    const container = newId();
    makeRootfs(on.fixture.paths, container);
    const command = launchOf(container, on.fixture.processes.runtimes[0]!, ["sh", "-c", "cat /etc/hosts; sleep 100"], {
      user: "alice",
      files: [{ name: "hosts", content: Buffer.from("127.0.0.1 me\n") }],
      spec: ({ mounts }) =>
        mounts.push({ destination: "/etc/hosts", type: "bind", source: "file:hosts", options: ["rbind"] }),
    });
    const umask = process.umask(0o077);
    await perform(command).finally(() => process.umask(umask));
    await waitForLog(container, "127.0.0.1 me\n");
    const directory = on.fixture.paths.run(container, 1);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(statSync(join(directory, "config.json")).mode & 0o777).toBe(0o600);
    expect(statSync(on.fixture.paths.container(container)).mode & 0o777).toBe(0o700);
    await clear(container);
  });

  it("makes missing sources of binds", async () => {
    const source = join(on.fixture.paths.roots.data, "made/for/bind");
    const { code } = await run(["sh", "-c", "echo x > /tmp/file"], {
      directories: [source],
      spec: (spec) => spec.mounts.push({ destination: "/tmp", type: "bind", source, options: ["rbind"] }),
    });
    expect(code).toBe(0);
    expect(statSync(join(source, "file")).size).toBe(2);
  });

  it.each([
    ["nosuch", /not found in \$PATH/],
    ["/no/such", /no such file or directory/i],
    ["/etc/passwd", /permission denied/i],
    ["/etc", /permission denied|is a directory|operation not permitted/i],
    ["/etc/passwd/x", /not a directory/i],
  ])("reports the runtime's message for %s, which cannot be started", async (program, words) => {
    const container = newId();
    makeRootfs(on.fixture.paths, container);
    const failure = await failed(perform(launchOf(container, on.fixture.processes.runtimes[0]!, [program])));
    const said = expect.stringMatching(words) as string;
    expect(failure).toEqual({ tag: "runtime", val: { said, program, directory: "/" } });
    await clear(container);
    expect(on.fixture.exits.some((exit) => exit.container === container)).toBe(false);
  });

  it("reports the runtime's message for anything else", async () => {
    const container = newId();
    makeRootfs(on.fixture.paths, container);
    const bad = { spec: (spec: { process: { cwd: string } }) => void (spec.process.cwd = "/etc/passwd/nowhere") };
    await expect(perform(launchOf(container, on.fixture.processes.runtimes[0]!, ["true"], bad))).rejects.toThrow(
      /passwd/,
    );
    await clear(container);
  });
});

/** A limit as the kernel shows it: v1's file below its controller, or v2's. */
function limitFile(controller: string, group: string, v1: string, v2 = v1): string {
  const places = [`/sys/fs/cgroup/${controller}${group}/${v1}`, `/sys/fs/cgroup${group}/${v2}`];
  return readFileSync(
    places.find((path) => existsSync(path))!,
    "utf8",
  ).trim();
}
