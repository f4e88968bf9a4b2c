// Every way in which an exec can end closes what was opened for it: pipes, terminals, sockets and client streams; and
// its result is reported correctly.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Input, processes as wit } from "../../../hosts/shared/host.js";
import { ExecPlace } from "../../../runtime-linux/exec/place.js";
import { MS_BIND } from "../../../runtime-linux/kernel.js";
import { libc } from "../../../runtime-linux/kernel/libc.js";
import { isAlive, isLiving, processStat, Run } from "../../../runtime-linux/ends/run.js";
import { findProgram } from "../../../runtime-linux/launch/find-program.js";
import { described, kindOf, openFiles } from "../../support/measured/open-files.js";
import { childrenOf, commandLineOf } from "../../support/processes.js";
import { launchOf, makeRootfs, newId, openFixture, traces, unable, type Fixture } from "../processes/fixture.js";
import { shownFailure } from "../../support/failed.js";

const reason = unable();
if (reason) console.warn(`skipped: files of execs: ${reason}`);

/** Ways to start an exec, by how its streams are connected. */
const WAYS: Readonly<Record<string, Partial<wit.Exec>>> = {
  "on pipes": { openStdin: true },
  "on a terminal": { openStdin: true, tty: true },
  "without stdin": {},
  detached: { detached: true },
  "detached on a terminal": { detached: true, tty: true },
};

/** More than a pipe holds, because it is not read. */
const MORE_THAN_A_PIPE = Buffer.alloc(200_000);
const POLL_MS = 10;
const PATIENCE_MS = 60_000;

for (const runtime of ["crun", "runc"].filter((name) => reason || findProgram(name)))
  describe.skipIf(reason)(`files of execs by ${runtime}`, () => {
    let fixture: Fixture;
    let container = "";
    let before: Set<string>;
    const ended = new Map<string, (code: number) => void>();
    let count = 0;

    beforeAll(async () => {
      fixture = await openFixture(runtime);
      fixture.processes.listen((input: Input) => {
        if (input.tag === "exec-exited") ended.get(input.val.exec)?.(input.val.exit.code);
      });
      container = await launch();
      // Opens the files that appear with the first exec of a kind and stay.
      for (const way of Object.values(WAYS)) await begun(["true"], way).over;
    });
    beforeEach(() => {
      before = open();
    });
    afterAll(async () => {
      await clear(container);
      await fixture.close();
      expect(traces()).toEqual({ mounts: "", cgroups: [], supervisors: "" });
    });

    for (const [way, change] of Object.entries(WAYS)) {
      test(`${way}: it ends while its client is still there`, async () => {
        expect(await begun(["sh", "-c", "exit 3"], change).over).toBe(3);
        await expectClosed();
      });

      test(`${way}: it never reads what its client sends`, async () => {
        const exec = begun(["sleep", "1000"], change);
        await exec.launched;
        void exec.stdin?.write(MORE_THAN_A_PIPE);
        await perform({ tag: "signal-exec", val: { exec: exec.id, number: 15 } });
        expect(await exec.over).toBe(143);
        await expectClosed();
      });

      test.each([
        ["there is no such program", "/no/such", "/", /no such file or directory/i],
        ["its program cannot be run", "/etc/passwd", "/", /permission denied/i],
        ["there is no such working directory", "true", "/etc/passwd/no", /chdir .*: not a directory/i],
      ])(`${way}: %s`, async (_, program, directory, words) => {
        const said = expect.stringMatching(words) as string;
        const refused = { tag: "runtime", val: { said, program, directory } };
        expect(await begun([program], change, directory).refused).toEqual(refused);
        await expectClosed();
      });

      test(`${way}: it is dropped while it runs`, async () => {
        const exec = begun(["cat"], change);
        await exec.launched;
        await perform({ tag: "reap-exec", val: exec.id });
        await expectClosed();
      });

      test(`${way}: it is dropped while it is started`, async () => {
        for (let turns = 0; turns < 12; turns += 1) {
          const exec = begun(["cat"], change);
          for (let turn = 0; turn < turns; turn += 1) await sleep(turn < 4 ? 0 : turn);
          await perform({ tag: "reap-exec", val: exec.id });
          await exec.launched.catch(() => {});
          await perform({ tag: "reap-exec", val: exec.id });
        }
        await expectClosed();
      });

      test(`${way}: its container is killed while it runs, and while it is started`, async () => {
        const other = await launch();
        const running = begun(["sleep", "1000"], change, "/", other);
        await running.launched;
        const starting = begun(["sleep", "1000"], change, "/", other);
        await perform({ tag: "signal", val: { subject: { container: other, run: 1 }, number: 9 } });
        await clear(other);
        await starting.launched.catch(() => {});
        await expectClosed();
      });

      test(`${way}: it cannot be written down, and does not go on`, async () => {
        const place = new ExecPlace(new Run(fixture.paths, container, 1), `exec-${count + 1}`);
        mkdirSync(`${place.directory}/started.json`, { recursive: true });
        const exec = begun(["sleep", "1000"], change);
        expect(await exec.refused).not.toBeNull();
        const pid = place.pid()!;
        await waitFor(() => ["Z", "X", undefined].includes(processStat(pid)?.state));
        await perform({ tag: "reap-exec", val: exec.id });
        await expectClosed();
      });

      test(`${way}: the OCI runtime cannot be started`, async () => {
        const other = await launch();
        useRuntime(other, "/no/such/runtime");
        expect(await begun(["true"], change, "/", other).refused).not.toBeNull();
        await clear(other);
        await expectClosed();
      });
    }

    test.each(["on pipes", "on a terminal"])(
      "%s: its end is reported even without room for its code on the disk",
      async (way) => {
        const exec = begun(["sleep", "1000"], WAYS[way]!);
        await exec.launched;
        symlinkSync("/dev/full", `${new ExecPlace(new Run(fixture.paths, container, 1), exec.id).directory}/exit`);
        await perform({ tag: "signal-exec", val: { exec: exec.id, number: 15 } });
        expect(await exec.over).toBe(143);
        await perform({ tag: "reap-exec", val: exec.id });
        await expectClosed();
      },
    );

    test("detached: it has ended, and is dropped before its code is written; another process has its id", async () => {
      const exec = begun(["sleep", "1000"], WAYS["detached"]!);
      await exec.launched;
      const place = new ExecPlace(new Run(fixture.paths, container, 1), exec.id);
      const { pid, supervisor } = place.started()!;
      process.kill(supervisor!.pid, "SIGSTOP");
      await waitFor(() => processStat(supervisor!.pid)?.state === "T");
      process.kill(pid, "SIGKILL");
      await waitFor(() => processStat(pid)?.state === "Z");
      const other = spawn("sleep", ["1000"], { stdio: "ignore" });
      writeFileSync(place.pidFile, String(other.pid));
      place.writeEnded(other.pid!, supervisor!.pid);
      await perform({ tag: "reap-exec", val: exec.id });
      expect(processStat(supervisor!.pid)).toBeUndefined();
      expect(existsSync(place.directory)).toBe(false);
      const state = processStat(other.pid!)?.state;
      other.kill("SIGKILL");
      expect(["Z", "X", undefined]).not.toContain(state);
      await expectClosed();
    });

    test("the mounts of a killed runtime go with the run", async () => {
      const other = await launch();
      const runtime = fixture.processes.runtimes[0]!;
      const state = new Run(fixture.paths, other, 1).state(runtime);
      writeFileSync(`${state}/runc.a1B2c3`, "");
      libc.mount(runtime.path, `${state}/runc.a1B2c3`, "", MS_BIND, "");
      await clear(other);
      expect(existsSync(state)).toBe(false);
    });

    // Messages of the runtime about its own steps mean nothing to clients.
    test("a container that is being killed does not count as running, before and after the runtime's call", async () => {
      const { path } = fixture.processes.runtimes[0]!;
      const slow = `${fixture.paths.roots.data}/slow-runtime`;
      const gate = `${slow}-gate`;
      writeFileSync(slow, `#!/bin/sh\nwhile [ ! -e ${gate} ]; do sleep 0.01; done\nexec ${path} "$@"\n`, {
        mode: 0o755,
      });
      for (const change of Object.values(WAYS)) {
        const other = await launch();
        useRuntime(other, slow);
        const starting = begun(["true"], change, "/", other);
        await waitFor(() => existsSync(new ExecPlace(new Run(fixture.paths, other, 1), starting.id).spec));
        const gone = await killSlowly(other);
        try {
          expect(await begun(["true"], change, "/", other).refused).toMatchObject({ tag: "no-such" });
          writeFileSync(gate, "");
          expect(await starting.refused).toMatchObject({ tag: "no-such" });
        } finally {
          gone();
        }
        rmSync(gate);
        await clear(other);
        await expectClosed();
      }
    });

    /**
     * A child of another process is in its pid namespace, which lasts until that child is reaped: when `gone` is
     * called.
     */
    async function killSlowly(what: string): Promise<() => void> {
      const first = new Run(fixture.paths, what, 1).process()!;
      const parent = spawn("nsenter", ["-t", String(first.pid), "-p", "sleep", "1000"], { stdio: "ignore" });
      await waitFor(() => childrenOf(parent.pid!).some((pid) => commandLineOf(pid) === "sleep 1000"));
      parent.kill("SIGSTOP");
      // Until it is stopped, it may still wait for its child.
      await waitFor(() => processStat(parent.pid!)?.state === "T");
      await perform({ tag: "signal", val: { subject: { container: what, run: 1 }, number: 9 } });
      await waitFor(() => !isLiving(first));
      expect(isAlive(first)).toBe(true);
      return () => void parent.kill("SIGCONT");
    }

    async function waitFor(condition: () => boolean): Promise<void> {
      await expect.poll(condition, { timeout: PATIENCE_MS, interval: POLL_MS }).toBe(true);
    }

    /** For everything that is started in it from now on. */
    function useRuntime(where: string, program: string): void {
      const note = `${fixture.paths.run(where, 1)}/launch.json`;
      const { path } = fixture.processes.runtimes[0]!;
      writeFileSync(note, readFileSync(note, "utf8").replaceAll(`"${path}"`, `"${program}"`));
    }

    interface Begun {
      id: string;
      stdin: { write(bytes: Uint8Array): Promise<void> } | undefined;
      launched: Promise<unknown>;
      /** Why it does not start, or null. */
      refused: Promise<Record<string, unknown> | null>;
      over: Promise<number>;
    }

    /** Starts an exec with a bound client that reads, and writes until the exec is over. */
    function begun(args: string[], change: Partial<wit.Exec>, cwd = "/", where = container): Begun {
      const id = `exec-${(count += 1)}`;
      const over = new Promise<number>((resolve) => ended.set(id, resolve));
      const spec = { cwd, args, env: ["PATH=/bin"], capabilities: {}, terminal: change.tty ?? false };
      const launched = perform({
        tag: "exec",
        val: {
          exec: id,
          subject: { container: where, run: 1 },
          process: Buffer.from(JSON.stringify(spec)),
          ...{ user: "", groups: [], tty: false, rows: 0, columns: 0, openStdin: false, detached: false, capture: 0 },
          ...change,
        },
      });
      const refused = launched.then(
        () => null,
        (error: unknown) => shownFailure(error),
      );
      const exec: Begun = { id, stdin: undefined, launched, refused, over };
      if (change.detached !== true) void bind(exec);
      return exec;
    }

    async function bind(exec: Begun): Promise<void> {
      const stdio = await fixture.processes.stdio.exec(exec.id).catch(() => undefined);
      if (stdio === undefined) return; // refused before it began
      exec.stdin = stdio.stdin;
      void stdio.stdin.write(Buffer.from("given\n"));
      for await (const _ of stdio.output());
      stdio.release();
    }

    function perform(command: wit.ProcessCommand): Promise<unknown> {
      return fixture.processes.perform(1n, command, () => {});
    }

    async function launch(): Promise<string> {
      const made = newId();
      makeRootfs(fixture.paths, made);
      await perform(launchOf(made, fixture.processes.runtimes[0]!, ["sleep", "1000"]));
      return made;
    }

    async function clear(what: string): Promise<void> {
      await perform({ tag: "reap", val: { container: what, run: 1 } });
      rmSync(fixture.paths.liveContainer(what), { recursive: true });
      rmSync(fixture.paths.container(what), { recursive: true });
    }

    function open(): Set<string> {
      return new Set(openFiles(process.pid).map((file) => `${file.fd} ${file.target}`));
    }

    /**
     * Everything that is open now was open before, except files of the test framework, which are no pipes, terminals or
     * sockets.
     */
    async function expectClosed(): Promise<void> {
      const deadline = Date.now() + PATIENCE_MS;
      while (added().length > 0 && Date.now() < deadline) await sleep(POLL_MS);
      expect(added().map((file) => described(process.pid, file))).toEqual([]);
    }

    function added() {
      return openFiles(process.pid).filter(
        (file) => !before.has(`${file.fd} ${file.target}`) && kindOf(file) !== "anon_inode",
      );
    }
  });
