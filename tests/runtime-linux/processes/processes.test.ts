// Containers' processes with a real OCI runtime and its supervisor: output, input, signals, ends.

import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { until } from "../../support/commands.js";
import { launchOf, makeRootfs, newId, readLog } from "./fixture.js";
import { onRuntimes } from "./on-runtimes.js";

onRuntimes("processes", (on) => {
  const { perform, subject, launch, run, logOf, waitForLog, clear } = on;

  it("runs a program, keeps its output and reports its exit code", async () => {
    const { stdout, stderr, code } = await run(["sh", "-c", "echo out; echo err >&2; exit 42"]);
    expect({ stdout: String(stdout), stderr: String(stderr), code }).toEqual({
      stdout: "out\n",
      stderr: "err\n",
      code: 42,
    });
  });

  it("reports the end after the launch, and with all output in the log", async () => {
    const container = newId();
    makeRootfs(on.fixture.paths, container);
    const order: string[] = [];
    const ended = on.fixture
      .exited(container)
      .then(async () => order.push(`exited ${(await logOf(container)).stdout.length}`));
    const script = "dd if=/dev/zero bs=1000 count=300 2>/dev/null";
    const launched = await perform(launchOf(container, on.fixture.processes.runtimes[0]!, ["sh", "-c", script]));
    order.push("launched");
    await ended;
    expect(order).toEqual(["launched", "exited 300000"]);
    const exit = await on.fixture.exited(container);
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
    await on.fixture.exited(container);
    await perform({ tag: "reap", val: subject(container) });
    await perform(launchOf(container, on.fixture.processes.runtimes[0]!, ["echo", "two"], { run: 2 }));
    await on.fixture.exited(container, 2);
    expect(String((await logOf(container)).stdout)).toBe("one\ntwo\n");
    await perform({ tag: "reap", val: { container, run: 2 } });
    await clear(container);
  });

  it("keeps a later run's log when an earlier one is reaped", async () => {
    const { container } = await launch(["sh", "-c", "printf one"]);
    await on.fixture.exited(container);
    const log = { fileBytes: 1000n, files: 1, compressed: false, passing: false };
    const says = ["sh", "-c", "printf two; read x; while :; do echo on; sleep 0.01; done"];
    const later = { run: 2, log, openStdin: true };
    await perform(launchOf(container, on.fixture.processes.runtimes[0]!, says, later));
    await on.waitForLog(container, "two");
    await perform({ tag: "reap", val: subject(container) });
    const file = on.fixture.paths.log(container);
    expect(readFileSync(file, "utf8").match(/ (std(out|err) [EFP])/g)).toEqual([" stdout P", " stdout E", " stdout P"]);
    // Its log limits still apply.
    await on.fixture.processes.stdio.stdin(container, 2).write(Buffer.from("go on\n"));
    await until("a file of its own", () => existsSync(`${file}.2`));
    await perform({ tag: "reap", val: { container, run: 2 } });
    await clear(container);
  });

  it("can follow a log before it exists", async () => {
    const container = newId();
    const log = await on.fixture.processes.stdio.log(container);
    let wakes = 0;
    const stop = log.watch(() => wakes++);
    expect(await log.size()).toBe(0);
    makeRootfs(on.fixture.paths, container);
    await perform(launchOf(container, on.fixture.processes.runtimes[0]!, ["sh", "-c", "echo a; sleep 0.2; echo b"]));
    await on.fixture.exited(container);
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
    expect((await on.fixture.exited(container)).code).toBe(3);
    const late = { subject: subject(container), number: 9, rows: 1, columns: 1 };
    for (const tag of ["signal", "resize"] as const)
      await expect(perform({ tag, val: late })).rejects.toMatchObject({
        failure: { tag: "no-such", val: { what: "process" } },
      });
    for (const tag of ["pause", "resume"] as const)
      await expect(perform({ tag, val: subject(container) })).rejects.toMatchObject({
        failure: { tag: "no-such", val: { what: "process" } },
      });
    await clear(container);
  });

  it("reports a kill as 128 + signal", async () => {
    const { container } = await launch(["sleep", "100"]);
    await perform({ tag: "signal", val: { subject: subject(container), number: 9 } });
    expect((await on.fixture.exited(container)).code).toBe(137);
    await clear(container);
  });

  it("passes bytes to stdin, those from before the launch first, and closes it with the first half-close", async () => {
    const container = newId();
    makeRootfs(on.fixture.paths, container);
    const stdin = on.fixture.processes.stdio.stdin(container, 1);
    const early = stdin.write(Buffer.from("early\n"));
    await perform(
      launchOf(container, on.fixture.processes.runtimes[0]!, ["cat"], { openStdin: true, stdinOnce: true }),
    );
    await early;
    const large = Buffer.alloc(300_000, "x");
    await stdin.write(large);
    stdin.end();
    expect((await on.fixture.exited(container)).code).toBe(0);
    const { stdout } = await logOf(container);
    expect(Buffer.compare(stdout, Buffer.concat([Buffer.from("early\n"), large]))).toBe(0);
    await clear(container);
  });

  it("ends stdin that a client closed before the launch", async () => {
    const container = newId();
    makeRootfs(on.fixture.paths, container);
    const stdin = on.fixture.processes.stdio.stdin(container, 1);
    void stdin.write(Buffer.from("all of it"));
    stdin.end();
    await perform(
      launchOf(container, on.fixture.processes.runtimes[0]!, ["cat"], { openStdin: true, stdinOnce: true }),
    );
    await on.fixture.exited(container);
    expect(String((await logOf(container)).stdout)).toBe("all of it");
    await clear(container);
  });

  it("keeps stdin open for other clients unless it is for only one", async () => {
    const { container } = await launch(["head", "-n", "2"], { openStdin: true });
    const first = on.fixture.processes.stdio.stdin(container, 1);
    await first.write(Buffer.from("one\n"));
    first.end();
    const second = on.fixture.processes.stdio.stdin(container, 1);
    await second.write(Buffer.from("two\n"));
    expect((await on.fixture.exited(container)).code).toBe(0);
    expect(String((await logOf(container)).stdout)).toBe("one\ntwo\n");
    await clear(container);
  });

  it("does not block a client whose process reads nothing and ends", async () => {
    const { container } = await launch(["sleep", "0.3"], { openStdin: true, stdinOnce: true });
    const stdin = on.fixture.processes.stdio.stdin(container, 1);
    await stdin.write(Buffer.alloc(3_000_000));
    await stdin.write(Buffer.alloc(1));
    await on.fixture.exited(container);
    await clear(container);
  });

  it("gives a terminal its initial size, and resizes it", async () => {
    const script = "trap 'stty size; exit' WINCH; stty size; while :; do sleep 0.05; done";
    const { container } = await launch(["sh", "-c", script], { tty: true, openStdin: true, rows: 33, columns: 111 });
    await waitForLog(container, "33 111");
    await perform({ tag: "resize", val: { subject: subject(container), rows: 44, columns: 99 } });
    await on.fixture.exited(container);
    expect(String((await logOf(container)).stdout)).toBe("33 111\r\n44 99\r\n");
    await clear(container);
  });

  it("reads a terminal's input", async () => {
    const { container } = await launch(["sh", "-c", "read line; echo got:$line"], {
      tty: true,
      openStdin: true,
      stdinOnce: true,
    });
    const stdin = on.fixture.processes.stdio.stdin(container, 1);
    await stdin.write(Buffer.from("hello\n"));
    expect((await on.fixture.exited(container)).code).toBe(0);
    expect(String((await logOf(container)).stdout)).toContain("got:hello\r\n");
    await clear(container);
  });
});
