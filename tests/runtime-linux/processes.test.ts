// Containers' processes by a real OCI runtime and its supervisor.

import { spawn } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { HostFailure } from "../../hosts/failure.js";
import type { processes as wit } from "../../hosts/host.js";
import { processStat } from "../../runtime-linux/run.js";
import { findProgram } from "../../runtime-linux/runtimes.js";
import { until } from "../support/commands.js";
import { startEngine } from "./engine.js";
import {
  launchOf,
  makeRootfs,
  newDirectory,
  newId,
  openFixture,
  readLog,
  remember,
  traces,
  unable,
  type Change,
  type Fixture,
} from "./fixture.js";
import { describeUnless } from "../support/on-engines.js";

const reason = unable();

for (const runtime of ["crun", "runc"]) {
  const missing = reason ?? (findProgram(runtime) === null ? `${runtime} is not installed` : null);
  describeUnless(missing, `processes by ${runtime}`, () => {
    let fixture: Fixture;
    beforeAll(async () => {
      fixture = await openFixture(runtime);
      expect(fixture.processes.runtimes.map(({ name }) => name)).toEqual([runtime]);
    });

    afterAll(async () => {
      await fixture.close();
      expect(traces()).toEqual({ mounts: "", cgroups: [], supervisors: "" });
    });

    const perform = (command: wit.ProcessCommand) => fixture.processes.perform(1n, command, () => {});
    const subject = (container: string) => ({ container, run: 1 });

    async function launch(args: string[], change: Change = {}): Promise<{ container: string; pid: number }> {
      const container = newId();
      makeRootfs(fixture.paths, container);
      const outcome = await perform(launchOf(container, fixture.processes.runtimes[0]!, args, change));
      if (outcome.tag !== "launched") throw new Error(`not launched: ${outcome.tag}`);
      return { container, pid: outcome.val.pid };
    }

    async function run(args: string[], change: Change = {}) {
      const { container } = await launch(args, change);
      const exit = await fixture.exited(container);
      const output = await logOf(container);
      await clear(container);
      return { ...output, ...exit };
    }

    async function logOf(container: string) {
      const log = await fixture.processes.stdio.log(container);
      const output = await readLog(log);
      await log.close();
      return output;
    }

    async function waitForLog(container: string, text: string): Promise<void> {
      while (!(await logOf(container)).stdout.includes(text)) await sleep(10);
    }

    async function clear(container: string): Promise<void> {
      await perform({ tag: "reap", val: subject(container) });
      rmSync(fixture.paths.liveContainer(container), { recursive: true });
      rmSync(fixture.paths.container(container), { recursive: true });
    }

    it("runs a program, keeps its output and tells its exit code", async () => {
      const { stdout, stderr, code } = await run(["sh", "-c", "echo out; echo err >&2; exit 42"]);
      expect({ stdout: String(stdout), stderr: String(stderr), code }).toEqual({
        stdout: "out\n",
        stderr: "err\n",
        code: 42,
      });
    });

    it("tells of the end after the launch, and with all output in the log", async () => {
      const container = newId();
      makeRootfs(fixture.paths, container);
      const order: string[] = [];
      const ended = fixture
        .exited(container)
        .then(async () => order.push(`exited ${(await logOf(container)).stdout.length}`));
      const script = "dd if=/dev/zero bs=1000 count=300 2>/dev/null";
      const launched = await perform(launchOf(container, fixture.processes.runtimes[0]!, ["sh", "-c", script]));
      order.push("launched");
      await ended;
      expect(order).toEqual(["launched", "exited 300000"]);
      const exit = await fixture.exited(container);
      expect(launched.tag === "launched" && exit.at >= launched.val.at).toBe(true);
      await clear(container);
    });

    it("keeps every byte: binary, lines longer than any buffer, no newline at the end", async () => {
      const script = "dd if=/bin/busybox bs=1000 count=400 2>/dev/null; printf '\\n\\nlast'";
      const { stdout } = await run(["sh", "-c", script]);
      const expected = Buffer.concat([readFileSync("/bin/busybox").subarray(0, 400_000), Buffer.from("\n\nlast")]);
      expect(Buffer.compare(stdout, expected)).toBe(0);
    });

    it("appends the log of a later run", async () => {
      const { container } = await launch(["echo", "one"]);
      await fixture.exited(container);
      await perform({ tag: "reap", val: subject(container) });
      await perform(launchOf(container, fixture.processes.runtimes[0]!, ["echo", "two"], { run: 2 }));
      await fixture.exited(container, 2);
      expect(String((await logOf(container)).stdout)).toBe("one\ntwo\n");
      await perform({ tag: "reap", val: { container, run: 2 } });
      await clear(container);
    });

    it("lets a log be followed from before there is one", async () => {
      const container = newId();
      const log = await fixture.processes.stdio.log(container);
      let wakes = 0;
      const stop = log.watch(() => wakes++);
      expect(await log.size()).toBe(0);
      makeRootfs(fixture.paths, container);
      await perform(launchOf(container, fixture.processes.runtimes[0]!, ["sh", "-c", "echo a; sleep 0.2; echo b"]));
      await fixture.exited(container);
      await sleep(20);
      expect(wakes).toBeGreaterThanOrEqual(2);
      expect(String((await readLog(log)).stdout)).toBe("a\nb\n");
      stop();
      await log.close();
      await clear(container);
    });

    it("sends signals, by number", async () => {
      const { container } = await launch([
        "sh",
        "-c",
        "trap 'echo got; exit 3' USR1; echo up; while :; do sleep 0.05; done",
      ]);
      await waitForLog(container, "up");
      await perform({ tag: "signal", val: { subject: subject(container), number: 10 } });
      expect((await fixture.exited(container)).code).toBe(3);
      const late = { subject: subject(container), number: 9, rows: 1, columns: 1 };
      for (const tag of ["signal", "resize"] as const)
        await expect(perform({ tag, val: late })).rejects.toMatchObject({ failure: { kind: "not-found" } });
      await clear(container);
    });

    it("tells of a kill as 128 + signal", async () => {
      const { container } = await launch(["sleep", "100"]);
      await perform({ tag: "signal", val: { subject: subject(container), number: 9 } });
      expect((await fixture.exited(container)).code).toBe(137);
      await clear(container);
    });

    it("hands bytes to stdin, those of before the launch first, and closes it with the first half-close", async () => {
      const container = newId();
      makeRootfs(fixture.paths, container);
      const stdin = fixture.processes.stdio.stdin(container, 1);
      const early = stdin.write(Buffer.from("early\n"));
      await perform(launchOf(container, fixture.processes.runtimes[0]!, ["cat"], { openStdin: true, stdinOnce: true }));
      await early;
      const large = Buffer.alloc(300_000, "x");
      await stdin.write(large);
      stdin.end();
      expect((await fixture.exited(container)).code).toBe(0);
      const { stdout } = await logOf(container);
      expect(Buffer.compare(stdout, Buffer.concat([Buffer.from("early\n"), large]))).toBe(0);
      await clear(container);
    });

    it("ends stdin that a client closed before the launch", async () => {
      const container = newId();
      makeRootfs(fixture.paths, container);
      const stdin = fixture.processes.stdio.stdin(container, 1);
      void stdin.write(Buffer.from("all of it"));
      stdin.end();
      await perform(launchOf(container, fixture.processes.runtimes[0]!, ["cat"], { openStdin: true, stdinOnce: true }));
      await fixture.exited(container);
      expect(String((await logOf(container)).stdout)).toBe("all of it");
      await clear(container);
    });

    it("keeps stdin open for others when it is not for one client only", async () => {
      const { container } = await launch(["head", "-n", "2"], { openStdin: true });
      const first = fixture.processes.stdio.stdin(container, 1);
      await first.write(Buffer.from("one\n"));
      first.end();
      const second = fixture.processes.stdio.stdin(container, 1);
      await second.write(Buffer.from("two\n"));
      expect((await fixture.exited(container)).code).toBe(0);
      expect(String((await logOf(container)).stdout)).toBe("one\ntwo\n");
      await clear(container);
    });

    it("does not hold up a client whose process reads nothing and ends", async () => {
      const { container } = await launch(["sleep", "0.3"], { openStdin: true, stdinOnce: true });
      const stdin = fixture.processes.stdio.stdin(container, 1);
      await stdin.write(Buffer.alloc(3_000_000));
      await stdin.write(Buffer.alloc(1));
      await fixture.exited(container);
      await clear(container);
    });

    it("gives a terminal its size, at first and later", async () => {
      const script = "stty size; trap 'stty size; exit' WINCH; while :; do sleep 0.05; done";
      const { container } = await launch(["sh", "-c", script], { tty: true, openStdin: true, rows: 33, columns: 111 });
      await waitForLog(container, "33 111");
      await sleep(50); // until the trap is set
      await perform({ tag: "resize", val: { subject: subject(container), rows: 44, columns: 99 } });
      await fixture.exited(container);
      expect(String((await logOf(container)).stdout)).toBe("33 111\r\n44 99\r\n");
      await clear(container);
    });

    it("reads a terminal's input", async () => {
      const { container } = await launch(["sh", "-c", "read line; echo got:$line"], {
        tty: true,
        openStdin: true,
        stdinOnce: true,
      });
      const stdin = fixture.processes.stdio.stdin(container, 1);
      await stdin.write(Buffer.from("hello\n"));
      expect((await fixture.exited(container)).code).toBe(0);
      expect(String((await logOf(container)).stdout)).toContain("got:hello\r\n");
      await clear(container);
    });

    it("freezes and thaws", async () => {
      const { container } = await launch(["sh", "-c", "while :; do echo x; sleep 0.02; done"]);
      await waitForLog(container, "x");
      await perform({ tag: "pause", val: subject(container) });
      const log = await fixture.processes.stdio.log(container);
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
      await clear(container); // a frozen one can be reaped
      expect(fixture.exits.some((exit) => exit.container === container)).toBe(false);
    });

    it("applies limits", async () => {
      const limited = (spec: { linux: { resources: Record<string, unknown> } }) =>
        (spec.linux.resources = { memory: { limit: 20 << 20, swap: 20 << 20 }, pids: { limit: 7 } });
      const { container, pid } = await launch(["sleep", "100"], { spec: limited });
      const groups = readFileSync(`/proc/${pid}/cgroup`, "utf8");
      expect(groups).toContain(fixture.paths.cgroup(container));
      expect(limitFile("pids", fixture.paths.cgroup(container), "pids.max")).toBe("7");
      expect(limitFile("memory", fixture.paths.cgroup(container), "memory.limit_in_bytes", "memory.max")).toBe(
        String(20 << 20),
      );
      await clear(container);
      const greedy = await run(["sh", "-c", "dd if=/dev/zero of=/dev/null bs=60M count=1"], { spec: limited });
      expect(greedy.code).not.toBe(0);
    });

    it("tells that memory ran out", async () => {
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

    it("looks users up in the container's own files", async () => {
      const id = async (user: string, groups: string[] = []) =>
        String((await run(["sh", "-c", "id; echo $HOME"], { user, groups })).stdout).trim();
      expect(await id("")).toBe("uid=0(root) gid=0(root) groups=0(root)\n/root");
      expect(await id("alice")).toBe("uid=1000(alice) gid=1000(alice) groups=10(wheel),1000(alice)\n/home/alice");
      expect(await id("alice:wheel")).toBe("uid=1000(alice) gid=10(wheel) groups=10(wheel)\n/home/alice");
      expect(await id("77:88", ["wheel", "99"])).toBe("uid=77 gid=88 groups=10(wheel),88,99\n/");
      await expect(launch(["id"], { user: "bob" })).rejects.toThrow(
        "unable to find user bob: no matching entries in passwd file",
      );
    });

    it("leaves users other than root nothing of the capabilities but the bounding set", async () => {
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

    it("shows a run's files to no other user of the machine, and its mounted ones to all users inside", async () => {
      const container = newId();
      makeRootfs(fixture.paths, container);
      const command = launchOf(container, fixture.processes.runtimes[0]!, ["sh", "-c", "cat /etc/hosts; sleep 100"], {
        user: "alice",
        files: [{ name: "hosts", content: Buffer.from("127.0.0.1 me\n") }],
        spec: ({ mounts }) =>
          mounts.push({ destination: "/etc/hosts", type: "bind", source: "file:hosts", options: ["rbind"] }),
      });
      const umask = process.umask(0o077);
      await perform(command).finally(() => process.umask(umask));
      await waitForLog(container, "127.0.0.1 me\n");
      const directory = fixture.paths.run(container, 1);
      expect(statSync(directory).mode & 0o777).toBe(0o700);
      expect(statSync(join(directory, "config.json")).mode & 0o777).toBe(0o600);
      expect(statSync(fixture.paths.container(container)).mode & 0o777).toBe(0o700);
      await clear(container);
    });

    it("makes missing sources of binds", async () => {
      const source = join(fixture.paths.roots.data, "made/for/bind");
      const { code } = await run(["sh", "-c", "echo x > /tmp/file"], {
        directories: [source],
        spec: (spec) => spec.mounts.push({ destination: "/tmp", type: "bind", source, options: ["rbind"] }),
      });
      expect(code).toBe(0);
      expect(statSync(join(source, "file")).size).toBe(2);
    });

    it.each([
      ["nosuch", "command-not-found", 'exec: "nosuch": executable file not found in $PATH'],
      ["/no/such", "command-not-found", 'exec: "/no/such": stat /no/such: no such file or directory'],
      ["/etc/passwd", "command-not-executable", 'exec: "/etc/passwd": permission denied'],
      ["/etc", "command-not-executable", 'exec: "/etc": permission denied'],
      ["/etc/passwd/x", "command-not-found", 'exec: "/etc/passwd/x": stat /etc/passwd/x: not a directory'],
    ])("says why %s cannot be started", async (program, kind, message) => {
      const container = newId();
      makeRootfs(fixture.paths, container);
      const failure = await perform(launchOf(container, fixture.processes.runtimes[0]!, [program])).then(
        () => undefined,
        (error: HostFailure) => error.failure,
      );
      expect(failure && { kind: failure.kind, message: failure.message }).toEqual({ kind, message });
      await clear(container);
      expect(fixture.exits.some((exit) => exit.container === container)).toBe(false);
    });

    it("says what the runtime said of anything else", async () => {
      const container = newId();
      makeRootfs(fixture.paths, container);
      const bad = { spec: (spec: { process: { cwd: string } }) => void (spec.process.cwd = "/etc/passwd/nowhere") };
      await expect(perform(launchOf(container, fixture.processes.runtimes[0]!, ["true"], bad))).rejects.toThrow(
        /passwd/,
      );
      await clear(container);
    });

    it("reaps what still runs, and what is not there", async () => {
      const { container, pid } = await launch(["sleep", "100"]);
      await clear(container);
      expect(existsSync(`/proc/${pid}`)).toBe(false);
      await perform({ tag: "reap", val: subject(container) });
      await perform({ tag: "reap", val: subject(newId()) });
    });

    it("tells of a container whose supervisor was killed", async () => {
      const { container, pid } = await launch(["sleep", "100"]);
      process.kill(supervisorOf(container), "SIGKILL");
      expect((await fixture.exited(container)).code).toBe(137);
      expect(["Z", "X", undefined]).toContain(processStat(pid)?.state);
      await clear(container);
    });

    it("finds again, after it was killed, what runs, what ended, and what lost its supervisor", async () => {
      const directory = newDirectory();
      const engine = startEngine(directory, runtime, [
        "sleep 100",
        "sleep 0.2; exit 7",
        "sleep 101",
        "read x; echo got $x",
      ]);
      const [runs, ends, loses, reads] = await engine.launched(4);
      await engine.kill();
      process.kill(supervisorOf(loses!.container), "SIGKILL");
      await sleep(400);

      const again = await openFixture(runtime, directory);
      const found = await again.processes.inventory();
      const state = (container: string) => found.find((process) => process.container === container)?.state;
      expect(found.length).toBe(4);
      expect(state(runs!.container)).toEqual({ tag: "running", val: { pid: runs!.pid, at: BigInt(runs!.at) } });
      expect(state(ends!.container)).toMatchObject({ tag: "exited", val: { code: 7, outOfMemory: false } });
      expect(state(loses!.container)).toEqual({ tag: "lost" });
      expect(["Z", "X", undefined]).toContain(processStat(loses!.pid)?.state);

      // What runs on is watched, listens and obeys.
      await again.processes.stdio.stdin(reads!.container, 1).write(Buffer.from("you\n"));
      expect((await again.exited(reads!.container)).code).toBe(0);
      const log = await again.processes.stdio.log(reads!.container);
      expect(String((await readLog(log)).stdout)).toBe("got you\n");
      await log.close();
      await again.processes.perform(
        1n,
        { tag: "signal", val: { subject: subject(runs!.container), number: 15 } },
        () => {},
      );
      await again.processes.perform(
        1n,
        { tag: "signal", val: { subject: subject(runs!.container), number: 9 } },
        () => {},
      );
      expect((await again.exited(runs!.container)).code).toBe(137);
      for (const { container } of found)
        await again.processes.perform(1n, { tag: "reap", val: subject(container) }, () => {});
      await again.close();
    });

    it("takes nobody for a supervisor who only names a run, and leaves them alone", async () => {
      const directory = newDirectory();
      const engine = startEngine(directory, runtime, ["sleep 100"]);
      const [loses] = await engine.launched(1);
      await engine.kill();
      const name = `${loses!.container}.1`;
      const poser = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)", "--", name], { argv0: "conmon" });
      const inside = await launch(["sh", "-c", "sleep 100; :", name]);
      process.kill(supervisorOf(loses!.container, findProgram("conmon")), "SIGKILL");
      await sleep(100);

      const again = await openFixture(runtime, directory);
      expect((await again.processes.inventory()).map(({ state }) => state.tag)).toEqual(["lost"]);
      await again.processes.perform(1n, { tag: "reap", val: subject(loses!.container) }, () => {});
      await again.close();
      expect(["R", "S"]).toContain(processStat(poser.pid!)?.state);
      expect(["R", "S"]).toContain(processStat(inside.pid)?.state);
      poser.kill("SIGKILL");
      await clear(inside.container);
    });

    it("finds again what runs under a supervisor whose program was replaced meanwhile", async () => {
      const directory = newDirectory();
      const conmon = join(directory, "conmon");
      copyFileSync(findProgram("conmon")!, conmon);
      const path = process.env["PATH"];
      process.env["PATH"] = `${directory}:${path}`;
      const engine = startEngine(directory, runtime, ["sleep 100"]);
      const [runs] = await engine.launched(1);
      await engine.kill();
      copyFileSync(conmon, `${conmon}.new`);
      renameSync(`${conmon}.new`, conmon);
      const again = await openFixture(runtime, directory);
      process.env["PATH"] = path;
      expect((await again.processes.inventory()).map(({ state }) => state.tag)).toEqual(["running"]);
      await again.processes.perform(1n, { tag: "reap", val: subject(runs!.container) }, () => {});
      await again.close();
    });

    it("notices that the supervisor of a run it found again was killed", async () => {
      const directory = newDirectory();
      const engine = startEngine(directory, runtime, ["sleep 100"]);
      const [runs] = await engine.launched(1);
      await engine.kill();
      const again = await openFixture(runtime, directory);
      expect((await again.processes.inventory()).map(({ state }) => state.tag)).toEqual(["running"]);
      process.kill(supervisorOf(runs!.container), "SIGKILL");
      expect((await again.exited(runs!.container)).code).toBe(137);
      await again.processes.perform(1n, { tag: "reap", val: subject(runs!.container) }, () => {});
      await again.close();
    });

    it("leaves nothing when it is killed at any moment of a launch", async () => {
      const states: string[] = [];
      for (const delayMs of [0, 2, 5, 8, 12, 16, 20, 30, 60, "launched"] as const) {
        const directory = newDirectory();
        const engine = startEngine(directory, runtime, ["sleep 100"]);
        await engine.launching();
        if (delayMs === "launched") await engine.launched(1);
        else await sleep(delayMs);
        await engine.kill();
        const again = await openFixture(runtime, directory);
        for (const { container, state } of await again.processes.inventory()) {
          states.push(state.tag);
          remember(container);
          await again.processes.perform(1n, { tag: "reap", val: subject(container) }, () => {});
        }
        await again.close();
        expect(traces()).toMatchObject({ cgroups: [], supervisors: "" });
      }
      expect(states.filter((state) => state !== "running" && state !== "unstarted")).toEqual([]);
      expect(states.at(-1)).toBe("running");
    });
  });
}

const HANGS = "while :; do sleep 0.1; done";

describeUnless(reason, "processes by a runtime that fails", () => {
  it.each([
    ["says no", "echo no such thing here >&2; exit 1", "invalid", /^no such thing here$/],
    ["dies without a word", "kill -9 $$", "internal", /^supervisor ended before the container was made/],
    ["hangs", HANGS, "internal", /^OCI runtime did not answer within 0.5 seconds$/],
    ["is gone", 'rm "$0"', "internal", /^supervisor ended before the container was made/],
  ])("reports that it %s, and leaves nothing", async (_, script, kind, message) => {
    const { fixture, container, launch } = await oddRuntime(script, 500);
    const failure = await launch().catch((error: HostFailure) => error.failure);
    expect(failure).toMatchObject({ kind, message: expect.stringMatching(message) as string });
    await expectNothingLeft(fixture, container);
  });

  it("gives a launch up, and leaves nothing", async () => {
    const { directory, fixture, container, launch } = await oddRuntime(
      `case "$*" in features | *delete*) exit ;; esac; touch "\${0%/*}/asked"; ${HANGS}`,
      60_000,
    );
    const failure = launch().catch((error: HostFailure) => error.failure);
    await until("the runtime to be asked", () => existsSync(join(directory, "asked")));
    fixture.processes.abandon(2n);
    fixture.processes.abandon(1n);
    expect(await failure).toMatchObject({ kind: "interrupted" });
    // As at the opening of the next instance.
    const [found] = await fixture.processes.inventory();
    expect(found).toEqual({ container, run: 1, state: { tag: "unstarted" } });
    await expectNothingLeft(fixture, container);
  });

  /** A launch by a runtime that does what its script says: operation 1. */
  async function oddRuntime(script: string, createLimitMs: number) {
    const directory = newDirectory();
    const program = join(directory, "runtime");
    writeFileSync(program, `#!/bin/sh\n[ "$1" = --version ] && echo odd version 1 && exit\n${script}\n`, {
      mode: 0o755,
    });
    const fixture = await openFixture("odd", directory, { added: new Map([["odd", program]]), createLimitMs });
    expect(fixture.processes.runtimes).toEqual([
      { name: "odd", path: program, version: "1", commit: "", features: "", kind: "other" },
    ]);
    const container = newId();
    makeRootfs(fixture.paths, container);
    const launch = () =>
      fixture.processes.perform(1n, launchOf(container, fixture.processes.runtimes[0]!, ["true"]), () => {});
    return { directory, fixture, container, launch };
  }

  async function expectNothingLeft(fixture: Fixture, container: string): Promise<void> {
    await fixture.processes.perform(3n, { tag: "reap", val: { container, run: 1 } }, () => {});
    expect(existsSync(fixture.paths.runs(container))).toBe(false);
    await fixture.close();
    expect(traces()).toEqual({ mounts: "", cgroups: [], supervisors: "" });
  }
});

/** The process by that name which has the run's on its command line; by `exe` if others pose as it. */
function supervisorOf(container: string, exe?: string): number {
  const pids = readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name));
  const found = pids.find((pid) => {
    try {
      const args = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      if (exe !== undefined && readlinkSync(`/proc/${pid}/exe`) !== exe) return false;
      return args[0]!.endsWith("conmon") && args.includes(`${container}.1`);
    } catch {
      return false;
    }
  });
  if (!found) throw new Error("no supervisor");
  return Number(found);
}

/** A limit as the kernel has it: v1's file below its controller, or v2's. */
function limitFile(controller: string, group: string, v1: string, v2 = v1): string {
  const places = [`/sys/fs/cgroup/${controller}${group}/${v1}`, `/sys/fs/cgroup${group}/${v2}`];
  return readFileSync(
    places.find((path) => existsSync(path))!,
    "utf8",
  ).trim();
}
