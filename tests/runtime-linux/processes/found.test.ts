// Containers' processes that lose their engine or their supervisor: found again, reported, reaped.

import { spawn } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  lstatSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import type { processes as wit } from "../../../hosts/shared/host.js";
import { sourceOfFile, writeFile } from "../../../runtime-linux/launch/container-files.js";
import { ExecPlace } from "../../../runtime-linux/exec/place.js";
import { libc } from "../../../runtime-linux/kernel/libc.js";
import { processStat, Run } from "../../../runtime-linux/ends/run.js";
import { findProgram } from "../../../runtime-linux/launch/find-program.js";
import { until } from "../../support/commands.js";
import { startEngine, type Launched } from "./engine.js";
import { launchOf, makeRootfs, newDirectory, newId, openFixture, readLog, remember, traces } from "./fixture.js";
import type { Fixture } from "./fixture.js";
import { onRuntimes } from "./on-runtimes.js";

onRuntimes("processes found again", (on) => {
  const { perform, subject, launch, clear } = on;

  it("reaps running processes and missing ones", async () => {
    const { container, pid } = await launch(["sleep", "100"]);
    await clear(container);
    expect(existsSync(`/proc/${pid}`)).toBe(false);
    await perform({ tag: "reap", val: subject(container) });
    await perform({ tag: "reap", val: subject(newId()) });
  });

  it("reports a container whose supervisor was killed", async () => {
    const { container, pid } = await launch(["sleep", "100"]);
    process.kill(supervisorOf(container), "SIGKILL");
    expect((await on.fixture.exited(container)).code).toBe(137);
    expect(["Z", "X", undefined]).toContain(processStat(pid)?.state);
    await clear(container);
  });

  it("removes the unfinished files of a killed supervisor", async () => {
    const exits = on.fixture.paths.exits();
    const [container, other] = [(await launch(["sleep", "100"])).container, newId()];
    // Of the run, of a later run, and of a removed container.
    const names = [`${container}.1.Xy12aB`, `${container}.12`, `${other}.1.aBc456`];
    for (const name of names) writeFileSync(join(exits, name), "");
    process.kill(supervisorOf(container), "SIGKILL");
    await on.fixture.exited(container);
    await perform({ tag: "reap", val: subject(container) });
    expect(readdirSync(exits).sort()).toEqual(names.slice(1).sort());
    await on.fixture.processes.inventory();
    expect(readdirSync(exits)).toEqual([]);
    await clear(container);
  });

  it("reports a container whose supervisor was killed, even if its processes cannot be killed", async () => {
    let refuses = false;
    const kill = (pid: number, signal: number): void => {
      if (refuses) throw Object.assign(new Error("kill: EPERM"), { code: "EPERM" });
      libc.kill(pid, signal);
    };
    const fixture = await openFixture(on.runtime, newDirectory(), { kernel: { ...libc, kill } });
    const container = newId();
    makeRootfs(fixture.paths, container);
    const { perform } = fixture.processes;
    await perform(1n, launchOf(container, fixture.processes.runtimes[0]!, ["sleep", "100"]), () => {});
    refuses = true;
    process.kill(supervisorOf(container), "SIGKILL");
    expect((await fixture.exited(container)).code).toBe(137);
    refuses = false;
    await perform(1n, { tag: "reap", val: subject(container) }, () => {});
    await fixture.close();
  });

  it.each(["tells of it", "finds it again"])(
    "leaves a later run alone when the supervisor of an earlier run was killed, whichever engine %s",
    async (who) => {
      const directory = newDirectory();
      const container = newId();
      const { fixture, pids } = await launchTwice(directory, container);
      process.kill(supervisorOf(container), "SIGKILL");
      if (who === "tells of it") expect((await fixture.exited(container)).code).toBe(137);
      else await fixture.processes.close();
      await until("its supervisor's end", () => !hasSupervisor(container));

      const next = who === "tells of it" ? fixture : await openFixture(on.runtime, directory);
      if (who === "finds it again") {
        const found = (await next.processes.inventory()).map(({ run, state }) => [run, state.tag]);
        expect(found.sort()).toEqual([
          [1, "lost"],
          [2, "running"],
        ]);
      }
      expect(["Z", "X", undefined]).toContain(processStat(pids[0]!)?.state);
      const reap = (run: number) => next.processes.perform(1n, { tag: "reap", val: { container, run } }, () => {});
      await reap(1);
      expect(["R", "S"]).toContain(processStat(pids[1]!)?.state);
      await next.processes.perform(1n, { tag: "signal", val: { subject: { container, run: 2 }, number: 9 } }, () => {});
      expect((await next.exited(container, 2)).code).toBe(137);
      await reap(2);
      await next.close();
    },
  );

  /** Two runs of a container; the first one continues. */
  async function launchTwice(directory: string, container: string): Promise<{ fixture: Fixture; pids: number[] }> {
    const fixture = await openFixture(on.runtime, directory);
    makeRootfs(fixture.paths, container);
    const pids: number[] = [];
    for (const run of [1, 2]) {
      const command = launchOf(container, fixture.processes.runtimes[0]!, ["sleep", "100"], { run });
      const outcome = await fixture.processes.perform(1n, command, () => {});
      if (outcome.tag === "launched") pids.push(outcome.val.pid);
    }
    return { fixture, pids };
  }

  it("finds running and ended processes, and those without a supervisor, after it was killed", async () => {
    const directory = newDirectory();
    const engine = startEngine(directory, on.runtime, [
      "sleep 100",
      "sleep 0.2; exit 7",
      "sleep 101",
      "read x; echo got $x",
    ]);
    const [runs, ends, loses, reads] = await engine.launched(4);
    await engine.kill();
    process.kill(supervisorOf(loses!.container), "SIGKILL");
    for (const { container } of [ends!, loses!]) {
      await until(`the end of ${container}'s supervisor`, () => !hasSupervisor(container));
    }

    const again = await openFixture(on.runtime, directory);
    const found = await again.processes.inventory();
    const state = (container: string) => found.find((process) => process.container === container)?.state;
    expect(found.length).toBe(4);
    expect(state(runs!.container)).toEqual({ tag: "running", val: { pid: runs!.pid, at: BigInt(runs!.at) } });
    expect(state(ends!.container)).toMatchObject({ tag: "exited", val: { code: 7, outOfMemory: false } });
    expect(state(loses!.container)).toEqual({ tag: "lost" });
    expect(["Z", "X", undefined]).toContain(processStat(loses!.pid)?.state);

    // A process that keeps running is watched, reads its input and obeys signals.
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

  it("finds the files of a run of an earlier version, which made them in its directory", async () => {
    const directory = newDirectory();
    const engine = startEngine(directory, on.runtime, ["sleep 100"]);
    const [{ container }] = (await engine.launched(1)) as [Launched];
    await engine.kill();
    const again = await openFixture(on.runtime, directory);
    const { paths, processes } = again;
    const made = join(paths.run(container, 1), "hosts");
    writeFileSync(made, "as it was\n");
    writeFileSync(paths.containerFile(container, "hosts"), "of a later version, tried before\n");
    await processes.inventory();
    expect(readFileSync(paths.containerFile(container, "hosts"), "utf8")).toBe("as it was\n");
    expect(sourceOfFile(paths, newId(), `${container}/hosts`)).toBe(made);

    const file = { name: "hosts", content: Buffer.from("anew\n") };
    await processes.perform(1n, { tag: "rewrite", val: { subject: subject(container), file } }, () => {});
    expect(readFileSync(made, "utf8")).toBe("anew\n");
    await processes.perform(1n, { tag: "reap", val: subject(container) }, () => {});

    // The next run has its own files in their place.
    writeFile(paths.containerFile(container, "hosts"), { ...file, content: Buffer.from("next\n") }, true, []);
    expect(lstatSync(paths.containerFile(container, "hosts")).isFile()).toBe(true);
    await again.close();
  });

  it("does not mistake a process that only names a run for a supervisor", async () => {
    const directory = newDirectory();
    const engine = startEngine(directory, on.runtime, ["sleep 100"]);
    const [loses] = await engine.launched(1);
    await engine.kill();
    const name = `${loses!.container}.1`;
    const poser = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)", "--", name], { argv0: "conmon" });
    const inside = await launch(["sh", "-c", "sleep 100; :", name]);
    process.kill(supervisorOf(loses!.container, poser.pid), "SIGKILL");
    await until("its supervisor's end", () => findSupervisor(loses!.container, poser.pid) === undefined);

    const again = await openFixture(on.runtime, directory);
    expect((await again.processes.inventory()).map(({ state }) => state.tag)).toEqual(["lost"]);
    await again.processes.perform(1n, { tag: "reap", val: subject(loses!.container) }, () => {});
    await again.close();
    expect(["R", "S"]).toContain(processStat(poser.pid!)?.state);
    expect(["R", "S"]).toContain(processStat(inside.pid)?.state);
    poser.kill("SIGKILL");
    await clear(inside.container);
  });

  it("finds processes under a supervisor whose program was replaced", async () => {
    const directory = newDirectory();
    const conmon = join(directory, "conmon");
    copyFileSync(findProgram("conmon")!, conmon);
    const path = process.env["PATH"];
    process.env["PATH"] = `${directory}:${path}`;
    const engine = startEngine(directory, on.runtime, ["sleep 100"]);
    const [runs] = await engine.launched(1);
    await engine.kill();
    copyFileSync(conmon, `${conmon}.new`);
    renameSync(`${conmon}.new`, conmon);
    const again = await openFixture(on.runtime, directory);
    process.env["PATH"] = path;
    expect((await again.processes.inventory()).map(({ state }) => state.tag)).toEqual(["running"]);
    await again.processes.perform(1n, { tag: "reap", val: subject(runs!.container) }, () => {});
    await again.close();
  });

  it("notices that the supervisor of a found run was killed", async () => {
    const directory = newDirectory();
    const engine = startEngine(directory, on.runtime, ["sleep 100"]);
    const [runs] = await engine.launched(1);
    await engine.kill();
    const again = await openFixture(on.runtime, directory);
    expect((await again.processes.inventory()).map(({ state }) => state.tag)).toEqual(["running"]);
    process.kill(supervisorOf(runs!.container), "SIGKILL");
    expect((await again.exited(runs!.container)).code).toBe(137);
    await again.processes.perform(1n, { tag: "reap", val: subject(runs!.container) }, () => {});
    await again.close();
  });

  // As if it had been killed after the OCI runtime made an exec and before recording it.
  it.each(["before the next one looks", "behind that"])(
    "reports the exit code of an unrecorded exec that ends %s",
    async (when) => {
      const directory = newDirectory();
      const first = await openFixture(on.runtime, directory);
      const container = newId();
      makeRootfs(first.paths, container);
      await first.processes.perform(1n, launchOf(container, first.processes.runtimes[0]!, ["sleep", "100"]), () => {});
      const place = new ExecPlace(new Run(first.paths, container, 1), "late");
      const Cmd = ["sh", "-c", "trap 'exit 7' TERM; : > /tmp/ready; while :; do sleep 0.01; done"];
      await first.processes.perform(1n, execOf(place, Cmd), () => {});
      await first.processes.close();
      await until("its trap", () => existsSync(join(first.paths.rootfs(container), "tmp/ready")));
      const { supervisor, pid } = place.started()!;
      rmSync(join(place.directory, "started.json"));
      /** Its supervisor has not noticed yet. */
      const end = async () => {
        process.kill(supervisor!.pid, "SIGSTOP");
        await until("its supervisor to stand still", () => processStat(supervisor!.pid)?.state === "T");
        process.kill(pid, "SIGTERM");
        await until("its end", () => processStat(pid)?.state === "Z");
      };

      const again = await openFixture(on.runtime, directory);
      const told = new Promise<number>((resolve) =>
        again.processes.listen((input) => input.tag === "exec-exited" && resolve(input.val.exit.code)),
      );
      if (when === "before the next one looks") await end();
      const found = async () => again.processes.execs(await again.processes.inventory());
      expect(await found()).toEqual([{ exec: "late", subject: subject(container), running: true }]);
      if (when === "behind that") await end();
      expect(await found()).toEqual([{ exec: "late", subject: subject(container), running: true }]);
      process.kill(supervisor!.pid, "SIGCONT");
      expect(await told).toBe(7);
      await again.processes.perform(1n, { tag: "reap", val: subject(container) }, () => {});
      await again.close();
    },
  );

  it("leaves nothing when it is killed at any moment of a launch", async () => {
    const states: string[] = [];
    for (const delayMs of [0, 2, 5, 8, 12, 16, 20, 30, 60, "launched"] as const) {
      const directory = newDirectory();
      const engine = startEngine(directory, on.runtime, ["sleep 100"]);
      await engine.launching();
      if (delayMs === "launched") await engine.launched(1);
      else await sleep(delayMs);
      await engine.kill();
      const again = await openFixture(on.runtime, directory);
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

/** Detached. */
function execOf({ exec, run }: ExecPlace, args: string[]): wit.ProcessCommand {
  const spec = { cwd: "/", args, env: ["PATH=/bin"], capabilities: {}, terminal: false };
  const streams = { tty: false, rows: 0, columns: 0, openStdin: false, detached: true, capture: 0 };
  const subject = { container: run.container, run: run.number };
  return {
    tag: "exec",
    val: { exec, subject, process: Buffer.from(JSON.stringify(spec)), user: "", groups: [], ...streams },
  };
}

/** The process of that name whose command line contains the run. `except`: one that only pretends. */
function supervisorOf(container: string, except?: number): number {
  const found = findSupervisor(container, except);
  if (!found) throw new Error("no supervisor");
  return Number(found);
}

function hasSupervisor(container: string): boolean {
  return findSupervisor(container) !== undefined;
}

function findSupervisor(container: string, except?: number): string | undefined {
  const pids = readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name));
  return pids.find((pid) => {
    try {
      const args = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      return Number(pid) !== except && args[0]!.endsWith("conmon") && args.includes(`${container}.1`);
    } catch {
      return false;
    }
  });
}
