// Execs with every OCI runtime of the machine: with pipes, with a terminal, detached, and refused, compared with first
// processes.
import { afterAll, beforeAll, expect, test } from "vitest";
import { findProgram, until } from "../support/commands.js";
import type { DaemonProcess } from "../support/daemon-process.js";
import { EngineClient, type Json, messageOf } from "../support/engine-client.js";
import { missingLinux, startCoracle } from "../support/engines.js";
import { frames } from "../support/frames.js";
import { describeUnless } from "../support/on-engines.js";
import { readFor, stateOf } from "../support/processes.js";
import { encodeRequest, RawConnection } from "../support/raw-http.js";

const missing = missingLinux();

/** runc's terminal leaves newlines unchanged, ours does not, so earlier output has two carriage returns. */
const linesOf = (text: Buffer): string[] => text.toString().split(/\r+\n/);

const hasEnded = (pid: number): boolean => ["", "Z"].includes(stateOf(pid).slice(0, 1));

for (const runtime of ["crun", "runc"]) {
  const absent = findProgram(runtime) === null ? `needs ${runtime}` : null;
  describeUnless(missing ?? absent, `execs by ${runtime}`, () => {
    let daemon: DaemonProcess;
    let engine: EngineClient;
    let id = "";

    beforeAll(async () => {
      daemon = await startCoracle();
      engine = new EngineClient(daemon.socketPath);
      id = await engine.running({ HostConfig: { Runtime: runtime } });
    });
    afterAll(async () => daemon?.close());

    test("on pipes", async () => {
      const exec = await create({ Cmd: ["sh", "-c", "cat; echo err >&2; exit 3"], AttachStdin: true });
      const connection = await start(exec, {});
      connection.send("said\n");
      connection.end();
      expect(frames(await connection.rest())).toEqual({ stdout: "said\n", stderr: "err\n" });
      expect(await codeOf(exec)).toBe(3);
    });

    test("on a terminal", async () => {
      const exec = await create({ Cmd: ["sh"], AttachStdin: true, Tty: true });
      const connection = await start(exec, { Tty: true });
      await until("its start", async () => (await engine.read<{ Pid: number }>(`/exec/${exec}/json`)).Pid > 0);
      await engine.must(200, "POST", `/exec/${exec}/resize?h=44&w=111`);
      connection.send("test -t 0 && stty size\n");
      await connection.untilText("44 111\r\n");
      connection.send("exit 5\n");
      await connection.rest();
      expect(await codeOf(exec)).toBe(5);
    });

    // Reports the end of each while its terminal holds more than the kernel returns in one read.
    test("the last output on a terminal is not lost if the engine is slow", async () => {
      const script = 'trap "seq 1 2000; exit" USR1; echo ready; while :; do sleep 0.01; done';
      const writers = await Promise.all(Array.from({ length: 8 }, () => writer(script)));
      await Promise.all(writers.map(({ connection }) => connection.untilText("ready")));
      process.kill(daemon.pid(), "SIGSTOP");
      try {
        for (const { pid } of writers) process.kill(pid, "SIGUSR1");
        await until("their ends", () => writers.every(({ pid }) => hasEnded(pid)));
      } finally {
        process.kill(daemon.pid(), "SIGCONT");
      }
      const texts = await Promise.all(writers.map(({ connection }) => connection.rest()));
      for (const text of texts) expect(linesOf(text).slice(-3)).toEqual(["1999", "2000", ""]);
    });

    test("nor if the client is slow", async () => {
      const script = "while :; do i=$((i+1)); printf '%0999d\\n' $i; echo $i >/tmp/last; done";
      const { exec, pid, connection } = await writer(script);
      connection.pause();
      const last = () => readFor(pid, "root/tmp/last");
      await until("it to wait for its reader", async () => {
        const before = last();
        // Meanwhile the engine completes everything that an exec needs.
        const other = await create({ Cmd: ["true"] });
        await (await start(other, {})).rest();
        return before !== "" && last() === before;
      });
      const written = Number(last());
      process.kill(pid, "SIGKILL");
      await until("its end", () => hasEnded(pid));
      // runc copies the output itself, and ends when it has been read.
      if (runtime === "crun") await until("the engine to tell it", async () => (await codeOf(exec)) === 137);
      connection.resume();
      expect(Math.max(...linesOf(await connection.rest()).map(Number))).toBeGreaterThanOrEqual(written);
    });

    test("detached, on a terminal or not", async () => {
      for (const Tty of [false, true]) {
        const exec = await create({ Cmd: ["sh", "-c", "sleep 0.1; exit 7"], Tty });
        await engine.must(200, "POST", `/exec/${exec}/start`, { Detach: true });
        await until("its end", async () => (await codeOf(exec)) === 7);
      }
    });

    test("its refusals have Docker's messages", async () => {
      for (const [Cmd, text, code] of [
        [["nope"], 'exec: "nope": executable file not found in $PATH', 127],
        [["/etc"], 'exec: "/etc": ', 126],
      ] as const)
        for (const Tty of [false, true]) {
          const exec = await create({ Cmd, Tty });
          const said = (await (await start(exec, { Tty })).rest()).toString();
          expect(said).toContain(`OCI runtime exec failed: exec failed: unable to start container process: ${text}`);
          expect(await codeOf(exec)).toBe(code);
        }
      const nowhere = await create({ Cmd: ["true"], WorkingDir: "/nowhere" });
      expect((await (await start(nowhere, {})).rest()).toString()).toContain('chdir to cwd ("/nowhere")');
    });

    test("a refused first process has Docker's message too", async () => {
      for (const [program, text, code] of [
        ["nope", 'exec: "nope": executable file not found in $PATH: unknown', 127],
        ["/no/such", 'exec: "/no/such": stat /no/such: no such file or directory: unknown', 127],
        ["/etc/passwd", 'exec: "/etc/passwd": permission denied: unknown', 126],
        ["/etc", 'exec: "/etc": permission denied: unknown', 126],
        ["/etc/passwd/x", 'exec: "/etc/passwd/x": stat /etc/passwd/x: not a directory: unknown', 127],
      ] as const) {
        const refused = await engine.create({ Cmd: [program], HostConfig: { Runtime: runtime } });
        const answer = await engine.call("POST", `/containers/${refused}/start`);
        expect([answer.status, messageOf(answer)]).toEqual([400, expect.stringContaining(text)]);
        const { State } = await engine.read<{ State: { ExitCode: number } }>(`/containers/${refused}/json`);
        expect([program, State.ExitCode]).toEqual([program, code]);
        await engine.remove(refused);
      }
    });

    async function create(config: Json): Promise<string> {
      const body = { AttachStdout: true, AttachStderr: true, ...config };
      return (await engine.must(201, "POST", `/containers/${id}/exec`, body)).json<{ Id: string }>().Id;
    }

    /** A script on a terminal, and its process. */
    async function writer(script: string): Promise<{ exec: string; pid: number; connection: RawConnection }> {
      const exec = await create({ Cmd: ["sh", "-c", script], Tty: true });
      const connection = await start(exec, { Tty: true });
      const process = async () => (await engine.read<{ Pid: number }>(`/exec/${exec}/json`)).Pid || null;
      return { exec, pid: await until("its start", process), connection };
    }

    async function start(exec: string, body: Json): Promise<RawConnection> {
      const connection = await RawConnection.open(daemon.socketPath, 15_000);
      const headers = { Connection: "Upgrade", Upgrade: "tcp" };
      connection.send(encodeRequest({ method: "POST", target: `/v1.41/exec/${exec}/start`, headers, body }));
      expect((await connection.head()).status).toBe(101);
      return connection;
    }

    async function codeOf(exec: string): Promise<number | null> {
      return (await engine.read<{ ExitCode: number | null }>(`/exec/${exec}/json`)).ExitCode;
    }
  });
}
