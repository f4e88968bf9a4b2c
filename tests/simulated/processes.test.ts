// Containers' processes of the simulated world.

import { describe, expect, it } from "vitest";
import { ID, rawLog, World, type TestSpec } from "./processes-fixture.js";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const limited = (memory: number) => ({
  spec: (spec: { linux: { resources: Record<string, unknown> } }) => {
    spec.linux.resources = { memory: { limit: memory }, pids: { limit: 6 } };
  },
});

describe("a launch", () => {
  it("runs a program, keeps its output and reports its exit code, after some of the world's time", async () => {
    const world = new World();
    const ran = await world.run(["sh", "-c", "echo out; echo err >&2; exit 42"]);
    expect(ran).toMatchObject({ stdout: "out\n", stderr: "err\n", code: 42, outOfMemory: false, lost: false });
    expect(Number(world.time.now().monotonic) / 1e6).toBeGreaterThan(20);
    expect(Number(world.time.now().monotonic) / 1e6).toBeLessThan(40);
  });

  it("gives the process environment, directory, user, host name and files", async () => {
    const world = new World();
    const { stdout } = await world.run(["sh", "-c", "echo $A $HOME; pwd; id; hostname; cat /etc/hosts; cat /made"], {
      user: "alice",
      files: [{ name: "hosts", content: encode("hosts of it\n") }],
      spec: (spec) => {
        spec.process.env.push("A=1");
        spec.process.cwd = "/made/on/the/way";
        spec.mounts.push({ destination: "/etc/hosts", type: "bind", source: "file:hosts", options: [] });
      },
    });
    expect(stdout).toBe(
      "1 /home/alice\n/made/on/the/way\nuid=1000(alice) gid=1000(alice) groups=1000(alice),10(wheel)\nbox\nhosts of it\n",
    );
  });

  it("sees limits, capabilities and networks where the kernel shows them", async () => {
    const world = new World();
    await world.join();
    const script =
      "cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/pids.max; ls /sys/class/net; grep Cap /proc/self/status";
    const { stdout } = await world.run(["sh", "-c", script], limited(64 << 20));
    const zero = "0".repeat(16);
    const kill = "0000000000000020";
    expect(stdout).toBe(
      `67108864\n6\neth0\nlo\nCapInh:\t${zero}\nCapPrm:\t${kill}\nCapEff:\t${kill}\nCapBnd:\t${kill}\nCapAmb:\t${zero}\n`,
    );
  });

  it("mounts binds, which are made if missing, and respects read-only", async () => {
    const world = new World();
    const bind = { destination: "/in", type: "bind", source: "/srv/new", options: ["rbind"] };
    const { stdout } = await world.run(["sh", "-c", "echo x > /in/f && cat /in/f; echo no > /g || echo refused"], {
      directories: ["/srv/new"],
      spec: (spec) => {
        spec.mounts.push(bind);
        spec.root.readonly = true;
      },
    });
    expect(stdout).toBe("x\nrefused\n");
    expect(new TextDecoder().decode(world.disk.machine.read("/srv/new/f"))).toBe("x\n");
  });

  it.each([
    ["nope", "ENOENT"],
    ["/nope", "ENOENT"],
    ["/etc/passwd/x", "ENOTDIR"],
    ["/plain", "EACCES"],
    ["/etc", "EACCES"],
    ["", "ENOENT"],
  ])("of %j fails with %s", async (program, error) => {
    const what = { tag: "program", val: { program, error } };
    await expect(new World().launch([program])).rejects.toMatchObject({ failure: what });
  });

  it("of a file that no kernel can execute says so itself, and ends", async () => {
    expect(await new World().run(["strange"])).toMatchObject({ stderr: "exec strange: Exec format error\n", code: 1 });
  });

  it.each(["/etc/passwd", "/etc/passwd/x"])("fails in %s, which is not a directory", async (path) => {
    const spec = (given: TestSpec): void => void (given.process.cwd = path);
    const what = { tag: "directory", val: { path, error: "ENOTDIR" } };
    await expect(new World().launch(["true"], { spec })).rejects.toMatchObject({ failure: what });
  });

  it("fails for missing users and runtimes", async () => {
    await expect(new World().launch(["id"], { user: "bob" })).rejects.toMatchObject({
      failure: { tag: "no-such", val: { what: "user", name: "bob" } },
    });
    await expect(new World().launch(["id"], { runtime: "x" })).rejects.toMatchObject({
      failure: { tag: "no-such", val: { what: "oci-runtime", name: "x" } },
    });
  });

  it("finds an embedder's program first", async () => {
    const world = new World({
      programs: {
        ls: async (process) => {
          await process.stdout.write(`mine ${process.argv.slice(1).join()} ${process.env.get("PATH")}\n`);
          return 5;
        },
      },
    });
    expect(await world.run(["ls", "a", "b"])).toMatchObject({ stdout: "mine a,b /bin\n", code: 5 });
  });

  it("is reproducible with the same seed", async () => {
    const story = async (seed: number): Promise<string> => {
      const world = new World({ seed });
      await world.run([
        "sh",
        "-c",
        "sleep 1 & nginx & sleep 20; kill %2; wait; date +%s.%N; od -An -tx1 -N4 /dev/urandom",
      ]);
      return rawLog(await world.processes.stdio.log(ID));
    };
    expect(await story(3)).toBe(await story(3));
    expect(await story(3)).not.toBe(await story(4));
  });
});

describe("signals", () => {
  it("reach traps, and end processes without one, except the first", async () => {
    const world = new World();
    await world.launch(["sh", "-c", "trap 'echo got; exit 3' USR1; echo up; while :; do sleep 0.05; done"]);
    await world.untilOutput("up");
    await world.signal(15); // not caught, so the first process ignores it
    await world.sleep(1_000_000_000n);
    expect(world.exits).toEqual([]);
    await world.signal(10);
    expect(await world.exited()).toMatchObject({ code: 3 });
    await expect(world.signal(9)).rejects.toMatchObject({ failure: { tag: "no-such", val: { what: "process" } } });
  });

  it("kill at once, and with the first process all others", async () => {
    const world = new World();
    await world.launch(["sh", "-c", "sleep 1000 & sleep 1000"]);
    await world.sleep(10_000_000n);
    expect(world.processes.list()).toHaveLength(2);
    const before = world.time.now().monotonic;
    await world.signal(9);
    expect(await world.exited()).toMatchObject({ code: 137, outOfMemory: false });
    expect(Number(world.time.now().monotonic - before) / 1e6).toBeLessThan(5);
    expect(world.processes.list()).toEqual([]);
  });

  it.each([
    ["SIGQUIT", 3],
    ["SIGTERM", 15],
  ])("end a server properly: %s", async (_name, signal) => {
    const world = new World();
    await world.launch([
      "sh",
      "-c",
      "(while sleep 5; do wget -qO- localhost; wget -qO- localhost/x; done) & exec nginx",
    ]);
    await world.sleep(60_000_000_000n);
    expect(world.exits).toEqual([]);
    await world.signal(signal);
    expect(await world.exited()).toMatchObject({ code: 0 });
    const { stdout } = await world.output();
    expect(stdout.split("\n").length).toBeGreaterThan(5);
    expect(stdout).toMatch(/^\S+ - - \[01\/Jan\/2026:00:00:\d\d \+0000\] "\w+ \S+ HTTP\/1.1" \d+ \d+ "-" ".*" "-"$/m);
  });

  it("are held back from a paused process, for which time stands still", async () => {
    const world = new World();
    await world.launch(["sh", "-c", "trap 'echo got; exit 4' TERM; while :; do echo x; sleep 0.02; done"]);
    await world.untilOutput("x");
    const subject = { container: ID, run: 1 };
    await world.perform({ tag: "pause", val: subject });
    const { stdout } = await world.output();
    await world.signal(15);
    await world.sleep(1_000_000_000n);
    expect((await world.output()).stdout).toBe(stdout);
    await world.perform({ tag: "resume", val: subject });
    expect(await world.exited()).toMatchObject({ code: 4 });
    await world.reap();
    await world.launch(["sleep", "100"], { run: 2 });
    await world.perform({ tag: "pause", val: { container: ID, run: 2 } });
    await world.reap(2);
    expect(world.exits.map(({ run }) => run)).toEqual([1]);
  });
});

describe("endless work", () => {
  it.each([
    "while true; do :; done",
    "yes > /dev/null",
    "while :; do echo x > /dev/null; done",
    "cat /dev/zero > /dev/null",
  ])("does not stop the world: %s", async (script) => {
    const world = new World();
    await world.launch(["sh", "-c", `${script}; sleep 1000`]);
    await world.sleep(100_000_000n);
    await world.signal(9);
    expect(await world.exited()).toMatchObject({ code: 137 });
  });

  it("in recursive calls ends by itself", async () => {
    const { code, stderr } = await new World().run(["sh", "-c", "f() { f; }; f"]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: "sh: function nesting too deep\n" });
  });

  it("ends with its reader", async () => {
    const { stdout, code } = await new World().run([
      "sh",
      "-c",
      "yes | head -n 1; yes 0123456789 | head -n 100000 | wc -l",
    ]);
    expect({ stdout, code }).toEqual({ stdout: "y\n100000\n", code: 0 });
  });
});

describe("limits", () => {
  it("of memory kill, and are reported", async () => {
    const big = await new World().run(["dd", "if=/dev/zero", "of=/dev/null", "bs=60M", "count=1"], limited(20 << 20));
    expect(big).toMatchObject({ code: 137, outOfMemory: true });
    const growing = await new World().run(
      ["sh", "-c", "head -c 200000000 /dev/zero | tail; sleep 0.5"],
      limited(20 << 20),
    );
    expect(growing).toMatchObject({ code: 0, outOfMemory: true });
    expect(await new World().run(["sh", "-c", "x=$(yes)"], limited(20 << 20))).toMatchObject({
      code: 137,
      outOfMemory: true,
    });
  });

  it("of memory are reported each time while the container continues, and to the next engine", async () => {
    const world = new World();
    const eat = "head -c 200000000 /dev/zero | tail";
    await world.launch(["sh", "-c", `${eat}; ${eat}; echo eaten; sleep 1000`], limited(20 << 20));
    await world.untilOutput("eaten");
    expect(world.memoryKills).toEqual([1, 2]);
    expect(world.exits).toEqual([]);
    expect(world.processes.inventory()).toMatchObject([{ state: { tag: "running" }, memoryKills: 2 }]);
  });

  it("of processes refuse more", async () => {
    const script = "i=0; while [ $i -lt 30 ]; do sleep 5 & i=$((i+1)); done; echo end";
    const { stderr, code } = await new World().run(["sh", "-c", script], limited(64 << 20));
    expect(stderr).toBe("sh: can't fork: Resource temporarily unavailable\n");
    expect(code).toBe(2);
  });

  it("of processes refuse a command substitution, too", async () => {
    const script = "i=0; while [ $i -lt 5 ]; do sleep 5 & i=$((i+1)); done; echo $(echo one more); echo end";
    const ran = await new World().run(["sh", "-c", script], limited(64 << 20));
    expect(ran).toMatchObject({ stdout: "", stderr: "sh: can't fork: Resource temporarily unavailable\n", code: 2 });
  });
});

describe("stdio", () => {
  it("is logged in conmon's format, and the end of text without a newline is marked", async () => {
    const world = new World();
    await world.run(["sh", "-c", "echo a; printf 'no end'; echo b >&2"]);
    const stamp = String.raw`2026-01-01T00:00:00\.\d{9}\+00:00`;
    const log = await world.processes.stdio.log(ID);
    expect(await rawLog(log)).toMatch(
      new RegExp(`^${stamp} stdout F a\n${stamp} stdout P no end\n${stamp} stderr F b\n${stamp} stdout E \n$`),
    );
    await world.reap();
    await world.run(["echo", "two"], { run: 2 });
    expect((await world.output()).stdout).toBe("a\nno endtwo\n");
  });

  it("is kept without its container, up to a limit, until the copy is dropped", async () => {
    const world = new World();
    await world.run(["sh", "-c", "echo one; echo two"]);
    const lines = (await rawLog(await world.processes.stdio.log(ID))).split(/(?<=\n)/);
    const copy = { container: "d".repeat(64), limit: lines[0]!.length, note: "clipped" };
    await world.processes.keepLog({ container: ID, copy });
    world.processes.forget(ID);
    const time = lines[0]!.split(" ")[0];
    expect(await rawLog(await world.processes.stdio.log(copy.container))).toBe(`${lines[0]}${time} stderr F clipped\n`);
    expect(world.processes.keptLogs()).toEqual([copy.container]);
    expect(await world.processes.keepLog({ container: "e".repeat(64), copy })).toBe(0);
    world.processes.forget(copy.container);
    expect(world.processes.keptLogs()).toEqual([]);
  });

  it("passes bytes to stdin, those from before the launch first, and closes it with the first half-close", async () => {
    const world = new World();
    const stdin = world.processes.stdio.stdin(ID, 1);
    const early = stdin.write(encode("early\n"));
    await world.launch(["cat"], { openStdin: true, stdinOnce: true });
    await early;
    await stdin.write(encode("x".repeat(300_000)));
    stdin.end();
    expect(await world.exited()).toMatchObject({ code: 0 });
    expect((await world.output()).stdout).toBe(`early\n${"x".repeat(300_000)}`);
  });

  it("ends stdin that a client closed before the launch", async () => {
    const world = new World();
    const stdin = world.processes.stdio.stdin(ID, 1);
    void stdin.write(encode("all of it"));
    stdin.end();
    expect(await world.run(["cat"], { openStdin: true, stdinOnce: true })).toMatchObject({
      stdout: "all of it",
      code: 0,
    });
  });

  it("keeps stdin open for other clients unless it is for only one", async () => {
    const world = new World();
    await world.launch(["head", "-n", "2"], { openStdin: true });
    const first = world.processes.stdio.stdin(ID, 1);
    await first.write(encode("one\n"));
    first.end();
    await world.processes.stdio.stdin(ID, 1).write(encode("two\n"));
    expect(await world.exited()).toMatchObject({ code: 0 });
    expect((await world.output()).stdout).toBe("one\ntwo\n");
  });

  it("does not block a client whose process reads nothing and ends", async () => {
    const world = new World();
    await world.launch(["sleep", "0.3"], { openStdin: true, stdinOnce: true });
    const stdin = world.processes.stdio.stdin(ID, 1);
    await stdin.write(new Uint8Array(3_000_000));
    await stdin.write(new Uint8Array(1));
    await world.exited();
  });

  it("reads the end of stdin if it is not open", async () => {
    expect(await new World().run(["cat"])).toMatchObject({ stdout: "", code: 0 });
  });
});

describe("a terminal", () => {
  const tty = { tty: true, openStdin: true, rows: 33, columns: 111 };

  it("has an initial size, and can be resized", async () => {
    const world = new World();
    await world.launch(
      ["sh", "-c", "stty size; trap 'stty size; exit' WINCH; echo up; while :; do sleep 0.05; done"],
      tty,
    );
    await world.untilOutput("up");
    await world.perform({ tag: "resize", val: { subject: { container: ID, run: 1 }, rows: 44, columns: 99 } });
    await world.exited();
    expect((await world.output()).stdout).toBe("33 111\r\nup\r\n44 99\r\n");
  });

  it("echoes input, erases it, and ends at ^D", async () => {
    const world = new World();
    await world.launch(["cat"], tty);
    const stdin = world.processes.stdio.stdin(ID, 1);
    await stdin.write(encode("hexx\x7f\x7fllo\r"));
    await world.untilOutput("hello");
    await stdin.write(encode("\x04"));
    expect(await world.exited()).toMatchObject({ code: 0 });
    expect((await world.output()).stdout).toBe("hexx\b \b\b \bllo\r\nhello\r\n");
  });

  it("interrupts the running command, not the shell", async () => {
    const world = new World();
    await world.launch(["sh"], tty);
    await world.untilOutput("/ # ");
    const stdin = world.processes.stdio.stdin(ID, 1);
    await stdin.write(encode("sleep 1000\r"));
    await world.sleep(100_000_000n);
    await stdin.write(encode("\x03"));
    await world.sleep(100_000_000n);
    await stdin.write(encode("echo $?\r"));
    await world.sleep(100_000_000n);
    await stdin.write(encode("if true\rthen echo multi\rfi\rnope\rexit 3\r"));
    expect(await world.exited()).toMatchObject({ code: 3 });
    const { stdout } = await world.output();
    expect(stdout).toContain("/ # sleep 1000\r\n^C\r\n/ # ");
    expect(stdout).toContain("echo $?\r\n130\r\n");
    expect(stdout).toContain("multi\r\n");
    expect(stdout).toContain("sh: nope: not found\r\n");
  });

  it("can be made raw", async () => {
    const world = new World();
    await world.launch(["sh", "-c", "stty raw -echo; echo up; head -c 2 | od -An -tx1"], tty);
    await world.untilOutput("up");
    const stdin = world.processes.stdio.stdin(ID, 1);
    await stdin.write(encode("\x10"));
    await stdin.write(encode("z"));
    await world.exited();
    expect((await world.output()).stdout).toBe("up\n 10 7a\n");
  });
});

describe("when the engine dies", () => {
  it("containers keep running, and their ends are reported until they are reaped", async () => {
    const world = new World();
    world.processes.listen(() => {}); // no engine listens
    await world.launch(["sh", "-c", "sleep 1; exit 6"]);
    const [running] = world.processes.inventory();
    expect(running).toMatchObject({ container: ID, run: 1, state: { tag: "running" } });
    await world.sleep(2_000_000_000n);
    expect(world.processes.inventory()).toMatchObject([{ state: { tag: "exited", val: { code: 6 } } }]);
    await world.reap();
    expect(world.processes.inventory()).toEqual([]);
  });

  it("a running container is reported to the next engine", async () => {
    const world = new World();
    const heard: unknown[] = [];
    world.processes.listen((input) => heard.push(input));
    await world.launch(["sleep", "1"]);
    world.listen();
    expect(await world.exited()).toMatchObject({ code: 0 });
    expect(heard).toEqual([]);
  });

  it("a container that could not be started is unstarted until it is reaped", async () => {
    const world = new World();
    await expect(world.launch(["nope"])).rejects.toThrow();
    expect(world.processes.inventory()).toMatchObject([{ state: { tag: "unstarted" } }]);
    await world.reap();
    expect(world.processes.inventory()).toEqual([]);
  });
});

describe("faults", () => {
  it("make SIGTERM have no effect", async () => {
    const world = new World();
    await world.launch(["nginx"]);
    await world.sleep(10_000_000n);
    world.faults.inject({ kind: "ignore-sigterm" }, 1);
    await world.signal(15);
    await world.sleep(1_000_000_000n);
    expect(world.exits).toEqual([]);
    await world.signal(15);
    expect(await world.exited()).toMatchObject({ code: 0 });
  });

  it("end a process at once", async () => {
    const world = new World();
    world.faults.inject({ kind: "die-at-once", code: 9, container: ID });
    expect(await world.run(["sleep", "1000"])).toMatchObject({ code: 9 });
  });

  it("kill for lack of memory, running and newly launched processes", async () => {
    const world = new World();
    await world.launch(["sleep", "1000"]);
    world.faults.inject({ kind: "out-of-memory" }, 2);
    world.processes.struck("out-of-memory");
    expect(await world.exited()).toMatchObject({ code: 137, outOfMemory: true });
    await world.reap();
    expect(await world.run(["sleep", "1000"], { run: 2 })).toMatchObject({ code: 137, outOfMemory: true });
  });

  it("make the runtime fail", async () => {
    const world = new World();
    world.faults.inject({ kind: "runtime-fails", message: "no space in cgroup" }, 1);
    const what = { tag: "runtime", val: { said: "no space in cgroup", program: "true", directory: "/" } };
    await expect(world.launch(["true"])).rejects.toMatchObject({ failure: what });
    await world.reap();
    expect(await world.run(["true"])).toMatchObject({ code: 0 });
  });

  it("kill the supervisor, and the exit code with it", async () => {
    const world = new World();
    await world.launch(["sleep", "1000"]);
    world.faults.inject({ kind: "supervisor-lost" }, 1);
    world.processes.struck("supervisor-lost");
    expect(await world.exited()).toMatchObject({ code: 137, lost: true });
    expect(world.processes.inventory()).toMatchObject([{ state: { tag: "lost" } }]);
  });
});
