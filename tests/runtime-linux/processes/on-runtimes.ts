// Containers' processes with each installed OCI runtime.

import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect } from "vitest";
import type { processes as wit, Outcome } from "../../../hosts/shared/host.js";
import { findProgram } from "../../../runtime-linux/launch/find-program.js";
import { describeUnless } from "../../support/on-engines.js";
import {
  launchOf,
  makeRootfs,
  newId,
  openFixture,
  readLog,
  traces,
  unable,
  type Change,
  type Fixture,
} from "./fixture.js";

/** Test operations on containers of one runtime. */
export class OnRuntime {
  /** Set while tests run. */
  fixture!: Fixture;

  constructor(readonly runtime: string) {}

  perform = (command: wit.ProcessCommand): Promise<Outcome> => this.fixture.processes.perform(1n, command, () => {});

  subject = (container: string): { container: string; run: number } => ({ container, run: 1 });

  launch = async (args: string[], change: Change = {}): Promise<{ container: string; pid: number }> => {
    const container = newId();
    makeRootfs(this.fixture.paths, container);
    const outcome = await this.perform(launchOf(container, this.fixture.processes.runtimes[0]!, args, change));
    if (outcome.tag !== "launched") throw new Error(`not launched: ${outcome.tag}`);
    return { container, pid: outcome.val.pid };
  };

  /** Runs to its end, and removes it. */
  run = async (args: string[], change: Change = {}) => {
    const { container } = await this.launch(args, change);
    const exit = await this.fixture.exited(container);
    const output = await this.logOf(container);
    await this.clear(container);
    return { ...output, ...exit };
  };

  logOf = async (container: string) => {
    const log = await this.fixture.processes.stdio.log(container);
    const output = await readLog(log);
    await log.close();
    return output;
  };

  waitForLog = async (container: string, text: string): Promise<void> => {
    while (!(await this.logOf(container)).stdout.includes(text)) await sleep(10);
  };

  clear = async (container: string): Promise<void> => {
    await this.perform({ tag: "reap", val: this.subject(container) });
    rmSync(this.fixture.paths.liveContainer(container), { recursive: true });
    rmSync(this.fixture.paths.container(container), { recursive: true });
  };
}

export function onRuntimes(title: string, tests: (on: OnRuntime) => void): void {
  for (const runtime of ["crun", "runc"]) {
    const missing = unable() ?? (findProgram(runtime) === null ? `${runtime} is not installed` : null);
    describeUnless(missing, `${title} by ${runtime}`, () => {
      const on = new OnRuntime(runtime);
      beforeAll(async () => {
        on.fixture = await openFixture(runtime);
        expect(on.fixture.processes.runtimes.map(({ name }) => name)).toEqual([runtime]);
      });

      afterAll(async () => {
        await on.fixture.close();
        expect(traces()).toEqual({ mounts: "", cgroups: [], supervisors: "" });
      });

      tests(on);
    });
  }
}
