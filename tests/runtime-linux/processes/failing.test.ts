// Containers' processes with a failing OCI runtime.

import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { runName } from "../../../runtime-linux/paths.js";
import { Run } from "../../../runtime-linux/ends/run.js";
import { until } from "../../support/commands.js";
import { describeUnless } from "../../support/on-engines.js";
import { launchOf, makeRootfs, newDirectory, newId, openFixture, traces, unable, type Fixture } from "./fixture.js";
import { failed } from "../../support/failed.js";

const HANGS = "while :; do sleep 0.1; done";
const SAYS_NO = { tag: "runtime", val: { said: expect.stringMatching(/^no such thing here\s*$/) as string } };
const ENDED = { tag: "start-broke", val: { how: "supervisor-ended" } };

describeUnless(unable(), "processes by a runtime that fails", () => {
  it.each([
    ["says no", "echo no such thing here >&2; exit 1", 60_000, SAYS_NO],
    ["dies without a word", "kill -9 $$", 60_000, ENDED],
    ["hangs", HANGS, 500, { tag: "silent", val: { what: "oci-runtime", limit: 500 } }],
    ["is gone", 'rm "$0"', 60_000, ENDED],
  ])("reports that it %s, and leaves nothing", async (_, script, limit, failure) => {
    const { fixture, container, launch } = await oddRuntime(script, limit);
    expect(await failed(launch())).toMatchObject(failure);
    await expectNothingLeft(fixture, container);
  });

  it("abandons a launch, and leaves nothing", async () => {
    const { directory, fixture, container, launch } = await oddRuntime(
      `case "$*" in *delete*) exit ;; esac; touch "\${0%/*}/asked"; ${HANGS}`,
      60_000,
    );
    const failure = failed(launch());
    await until("the runtime to be asked", () => existsSync(join(directory, "asked")));
    fixture.processes.abandon(2n);
    fixture.processes.abandon(1n);
    expect(await failure).toMatchObject({ tag: "interrupted" });
    // As at the opening of the next instance.
    const [found] = await fixture.processes.inventory();
    expect(found).toEqual({ container, run: 1, state: { tag: "unstarted" }, memoryKills: 0 });
    await expectNothingLeft(fixture, container);
  });

  it("reports an end that could not be read at first", async () => {
    const fixture = await openFixture();
    const container = newId();
    makeRootfs(fixture.paths, container);
    const launch = launchOf(container, fixture.processes.runtimes[0]!, ["sleep", "100"]);
    await fixture.processes.perform(1n, launch, () => {});
    const exit = join(fixture.paths.exits(), runName(container, 1));
    mkdirSync(exit); // the supervisor cannot write it, nor the engine read it
    const subject = { container, run: 1 };
    const looks = vi.spyOn(Run.prototype, "exit");
    await fixture.processes.perform(2n, { tag: "signal", val: { subject, number: 9 } }, () => {});
    await until("a second look at it", () => looks.mock.calls.length > 1);
    expect(fixture.exits).toEqual([]);
    rmdirSync(exit);
    expect(await fixture.exited(container)).toMatchObject({ lost: true });
    await expectNothingLeft(fixture, container);
  });

  /** A launch with a runtime that runs a script: operation 1. */
  async function oddRuntime(script: string, createLimitMs: number) {
    const directory = newDirectory();
    const program = join(directory, "runtime");
    // It is asked for both at once, and fails only when it is to do something.
    const says = '[ "$1" = --version ] && echo odd version 1 && exit\n[ "$1" = features ] && exit';
    writeFileSync(program, `#!/bin/sh\n${says}\n${script}\n`, { mode: 0o755 });
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
