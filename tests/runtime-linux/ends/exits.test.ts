// Ends of runs that another engine launched.

import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { afterAll, afterEach, expect, test } from "vitest";
import { ExitWatch } from "../../../runtime-linux/ends/exits.js";
import { processStat, type Run } from "../../../runtime-linux/ends/run.js";

const directory = mkdtempSync(join(tmpdir(), "coracle-exits-"));
afterAll(() => rmSync(directory, { recursive: true }));

let exits: ExitWatch;
afterEach(() => exits.close());

const supervisor = { pid: process.pid, startTicks: processStat(process.pid)!.startTicks };

test("an end is reported on a machine without free inotify watches", async () => {
  exits = new ExitWatch(join(directory, "nowhere")); // fs.watch fails for this as for that
  await new Promise<void>((ended) =>
    exits.adopt(
      runThat(() => EXIT),
      supervisor,
      ended,
    ),
  );
});

test("an end that cannot be read at first is reported later", async () => {
  exits = new ExitWatch(directory);
  let times = 0;
  const exit = () => {
    if (times++ === 0) throw Object.assign(new Error("EMFILE: too many open files"), { code: "EMFILE" });
    return EXIT;
  };
  await new Promise<void>((ended) => exits.adopt(runThat(exit), supervisor, ended));
  expect(times).toBe(2);
});

test("the end of a supervisor whose process id was reused is reported, even without an exit code", async () => {
  exits = new ExitWatch(directory);
  const before = { ...supervisor, startTicks: supervisor.startTicks - 1 };
  let isTold = false;
  exits.adopt(
    runThat(() => undefined),
    before,
    () => (isTold = true),
  );
  await expect.poll(() => isTold).toBe(true);
});

test("an engine that finds many does not look at all of them for each, and sees which one ends", async () => {
  exits = new ExitWatch(directory);
  const looks = new Map<string, number>();
  const ended: string[] = [];
  const names = Array.from({ length: 50 }, (_, index) => `run-${index}`);
  for (const name of names) {
    const exit = () => {
      looks.set(name, (looks.get(name) ?? 0) + 1);
      return existsSync(join(directory, name)) ? EXIT : undefined;
    };
    exits.adopt({ name, exit } as Run, supervisor, () => ended.push(name));
  }
  await turn();
  await turn();
  // A poll may have come in between.
  expect(Math.max(...looks.values())).toBeLessThanOrEqual(2);
  expect(ended).toEqual([]);
  // As conmon writes it.
  writeFileSync(join(directory, "run-7.A1B2C3"), "0");
  renameSync(join(directory, "run-7.A1B2C3"), join(directory, "run-7"));
  await expect.poll(() => ended).toEqual(["run-7"]);
});

const EXIT = { code: 0, outOfMemory: false, lost: false, at: 0n };

function runThat(exit: Run["exit"]): Run {
  return { name: "run", exit } as Run;
}
