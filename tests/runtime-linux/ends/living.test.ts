// Operations on a run that ends meanwhile: a cgroup that disappears with it is not a failure.

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { afterEach, expect, it } from "vitest";
import { freezeRun, thawRun } from "../../../runtime-linux/ends/living.js";
import { processStat, type Run } from "../../../runtime-linux/ends/run.js";
import type { Surroundings } from "../../../runtime-linux/launch/surroundings.js";
import { failed } from "../../support/failed.js";

const OVER = { tag: "no-such", val: { what: "process", name: "" } };
const REFUSED = { tag: "call", val: { call: "open", path: "/x", inside: false, error: "ENOENT" } };

const children: ChildProcess[] = [];
afterEach(() => children.splice(0).forEach((child) => child.kill("SIGKILL")));

/** A run whose first process is a child of the test. */
function running(): { run: Run; end: () => Promise<void> } {
  const child = spawn("sleep", ["1000"]);
  children.push(child);
  const pid = child.pid!;
  const first = { pid, startTicks: processStat(pid)!.startTicks };
  const end = async (): Promise<void> => {
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  };
  return { run: { container: "c", process: () => first } as unknown as Run, end };
}

/** Its cgroup is gone. */
function groups(before: () => Promise<void>): Pick<Surroundings, "cgroups"> {
  const act = async (): Promise<void> => {
    await before();
    throw Object.assign(new Error("ENOENT"), { code: "ENOENT", syscall: "open", path: "/x" });
  };
  return { cgroups: { freeze: act, thaw: act } as unknown as Surroundings["cgroups"] };
}

it.each([
  ["frozen", freezeRun],
  ["thawed", thawRun],
])("reports the end of a run that ended while it was %s", async (_, act) => {
  const { run, end } = running();
  expect(await failed(act(run, groups(end)))).toEqual(OVER);
  expect(
    await failed(
      act(
        run,
        groups(async () => {}),
      ),
    ),
  ).toEqual(OVER);
});

it("reports a missing control group while the run continues", async () => {
  const { run } = running();
  expect(
    await failed(
      freezeRun(
        run,
        groups(async () => {}),
      ),
    ),
  ).toEqual(REFUSED);
});
