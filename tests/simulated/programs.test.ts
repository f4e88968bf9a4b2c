// Behaviour that cannot be compared with busybox: time, other processes, terminals, memory, and embedders' programs.

import { describe, expect, it } from "vitest";
import type { Program } from "../../hosts/simulated/program.js";
import { Killed, NoProgram } from "../../hosts/simulated/program.js";
import { sandbox } from "./process-fixture.js";

const run = async (script: string, options: Parameters<typeof sandbox>[0] = {}, given = {}) =>
  sandbox(options).run(script, given);

describe("programs", () => {
  it("sleep in the world's time", async () => {
    const world = sandbox();
    const before = world.time.now().monotonic;
    expect(await world.run("date +%T; sleep 1h 30m; date +%T")).toMatchObject({ stdout: "00:00:00\n01:30:00\n" });
    expect(Number(world.time.now().monotonic - before) / 1e9).toBeCloseTo(5400, 0);
  });

  it("follow a file that grows", async () => {
    const script = "echo one > f; tail -f f & sleep 3; echo two >> f; sleep 3; kill $!; wait";
    expect(await run(script)).toMatchObject({ stdout: "one\ntwo\n", code: 0 });
  });

  it("show processes", async () => {
    const { stdout } = await run("sleep 100 & ps; ps -o pid,args; kill $!");
    expect(stdout).toMatch(/^PID\s+USER\s+TIME\s+COMMAND\n\s+1 root\s+0:00 init sh -c/);
    expect(stdout).toMatch(/\n\s+3 sleep 100\n/);
  });

  it("end other processes after a timeout", async () => {
    expect(await run("timeout 0.5 sleep 5; echo $?; timeout -s KILL 1 sleep 5; echo $?")).toMatchObject({
      stdout: "143\n137\n",
    });
    expect(await run("nohup sh -c 'kill -HUP $$; echo alive'")).toMatchObject({ stdout: "alive\n" });
  });

  it("find and remove", async () => {
    const script =
      "mkdir -p d/e; touch d/a.log d/e/b.log d/c; find . -name '*.log' -delete; find . -type f; which ls; which nope";
    expect(await run(script)).toMatchObject({ stdout: "./d/c\n/bin/ls\n", code: 1 });
  });

  it("show files, disks and the machine", async () => {
    expect((await run("mkdir d; echo x > d/f; du d; du -s d")).stdout).toBe("8\td\n8\td\n");
    expect((await run("df -k /tmp | tail -n 1")).stdout).toMatch(/^tmpfs\s+\d+\s+0\s+\d+\s+0% \/tmp\n$/);
    expect((await run("uname -a; nproc; hostname; printenv HOME; mount | grep -c proc")).stdout).toBe(
      "Linux box 6.1.0 #1 SMP x86_64 GNU/Linux\n4\nbox\n/root\n1\n",
    );
    expect((await run("busybox echo hi; busybox nope")).stderr).toBe("nope: applet not found\n");
  });

  it("have their user's permissions", async () => {
    const script =
      "id -un; touch /etc/x; touch /tmp/mine; ls -l /tmp/mine | cut -c1-30; chown root /tmp/mine; cat /root/s";
    const world = sandbox();
    world.files.write("/root/s", new Uint8Array(1), 0o600);
    const { stdout, stderr } = await world.run(script, { uid: 1000 });
    expect(stdout).toBe("alice\n-rw-r--r--    1 alice    alice\n");
    expect(stderr).toBe(
      "touch: /etc/x: Permission denied\nchown: /tmp/mine: Operation not permitted\ncat: can't open '/root/s': Permission denied\n",
    );
  });

  it("use devices", async () => {
    expect(
      (await run("head -c 8 /dev/urandom | wc -c; echo x > /dev/full; echo $?; echo y > /dev/stderr")).stdout,
    ).toBe("8\n1\n");
    expect((await run("echo logged > /dev/stdout; ln -s /dev/stdout l; echo too > l")).stdout).toBe("logged\ntoo\n");
  });
});

describe("the shell", () => {
  it("is interrupted by a trap during a wait", async () => {
    const script = "trap 'echo got' USR1; sleep 100 & (sleep 1; kill -USR1 $$) & wait %1; echo $?; kill %1";
    expect(await run(script)).toMatchObject({ stdout: "got\n138\n" });
  });

  it("runs a signal's trap after the foreground command has ended", async () => {
    const script = "trap 'date +%S' TERM; (sleep 1; kill $$) & sleep 5; echo after; date +%S";
    expect(await run(script)).toMatchObject({ stdout: "05\nafter\n05\n" });
  });

  it("stops and continues by signals", async () => {
    const script =
      "(while :; do echo x; sleep 1; done) & sleep 0.5; kill -STOP $!; sleep 10; kill -CONT $!; sleep 0.5; kill $!";
    expect((await run(script)).stdout).toBe("x\nx\n");
  });

  it("runs scripts by their interpreter", async () => {
    const script =
      "printf '#!/bin/sh\\necho $0 $1\\n' > s; chmod +x s; ./s a; printf 'data' > d; chmod +x d; ./d; echo $?";
    expect(await run(script)).toMatchObject({ stdout: "./s a\n126\n", stderr: "sh: ./d: Exec format error\n" });
  });
});

describe("an embedder's program", () => {
  const own = (program: Program, script = "own a b"): ReturnType<typeof run> =>
    run(script, { programs: { own: program } });

  it("is called with its process, and gives its exit code", async () => {
    const program: Program = async ({ argv, env, files, stdin, stdout, cwd, hostname }) => {
      const input = await stdin.read();
      files.write(`${cwd}/made`, input ?? new Uint8Array(0));
      await stdout.write(`${argv.join()} ${env.get("HOME")} ${hostname}\n`);
      return 7;
    };
    const script = "echo in | own a b; echo $?; cat made";
    expect(await own(program, script)).toMatchObject({ stdout: "own,a,b /root box\n7\nin\n" });
  });

  it("catches signals, or is ended by them", async () => {
    const caught: Program = async (process) => {
      let wake = (): void => {};
      process.onSignal([15], () => wake());
      await new Promise<void>((resolve) => (wake = resolve));
      return 9;
    };
    expect((await own(caught, "own & sleep 1; kill $!; wait $!; echo $?")).stdout).toBe("9\n");
    const careless: Program = () => new Promise(() => {});
    expect((await own(careless, "own & sleep 1; kill $!; wait $!; echo $?")).stdout).toBe("143\n");
  });

  it("learns of its end through its waits and its signal", async () => {
    const seen: unknown[] = [];
    const program: Program = async (process) => {
      process.ended.addEventListener("abort", () => seen.push(process.ended.reason));
      await process.sleep(10n ** 12n).catch((error: unknown) => seen.push(error));
      return 0;
    };
    await own(program, "own & sleep 1; kill -9 $!; wait");
    expect(seen).toEqual([expect.any(Killed), expect.any(Killed)]);
  });

  it("starts other programs, writes to their input and reads their output", async () => {
    const program: Program = async (process) => {
      const pieces = ["b\n", "a\n"].map((text) => new TextEncoder().encode(text));
      let output = "";
      const child = process.spawn({
        argv: ["sort"],
        stdin: { tty: false, read: async () => pieces.shift() ?? null },
        stdout: { tty: false, write: async (bytes) => void (output += new TextDecoder().decode(bytes as Uint8Array)) },
      });
      const code = await child.exited;
      await process.stdout.write(`${code} ${JSON.stringify(output)}\n`);
      expect(() => process.spawn({ argv: ["nope"] })).toThrow(NoProgram);
      return 0;
    };
    expect(await own(program)).toMatchObject({ stdout: '0 "a\\nb\\n"\n', code: 0 });
  });

  it("that throws is reported, and ends as if it had aborted", async () => {
    const program: Program = async () => {
      throw new Error("no luck");
    };
    expect(await own(program, "own; echo $?")).toMatchObject({ stdout: "134\n", stderr: "own: no luck\nAborted\n" });
  });

  it("is killed for lack of memory that it claims to use", async () => {
    const program: Program = async (process) => {
      process.allocate(30 << 20);
      return 0;
    };
    const options = { programs: { own: program }, limits: { memory: 20 << 20 } };
    expect((await run("own; echo $?", options)).stdout).toBe("137\n");
  });
});

describe("memory", () => {
  const doubling = "x=0123456789abcdef; while :; do x=$x$x; done";

  it("is used by a shell's variables", async () => {
    const limits = { memory: 20 << 20 };
    expect(await run(`(${doubling}); echo $?`, { limits })).toMatchObject({ stdout: "137\n" });
    const script =
      "x=$(head -c 4000000 /dev/zero | tr '\\0' a); f() { local x=$x; }; for i in 1 2 3 4 5 6 7 8; do f; done";
    expect(await run(`${script}; unset x; x=$(head -c 4000000 /dev/zero | tr '\\0' b); echo well`, { limits })).toEqual(
      {
        ...{ stdout: "well\n", stderr: "", code: 0 },
      },
    );
  });

  it("ends, with or without a limit, where a text is longer than any machine's memory", async () => {
    expect((await run(`(${doubling}); echo $?`)).stdout).toBe("137\n");
  });
});
