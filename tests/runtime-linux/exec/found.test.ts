// Execs whose engine was killed while starting them: how the next engine finds them on the machine.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import type { Input } from "../../../hosts/shared/host.js";
import { Execs } from "../../../runtime-linux/exec/execs.js";
import { ExecPlace } from "../../../runtime-linux/exec/place.js";
import type { Surroundings } from "../../../runtime-linux/launch/surroundings.js";
import type { Naming } from "../../../runtime-linux/ends/processes-of-run.js";
import { Paths } from "../../../runtime-linux/paths.js";
import { Run } from "../../../runtime-linux/ends/run.js";
import { until } from "../../support/commands.js";

const proc = vi.hoisted(() => ({ looks: 0, look: (): Map<string, Naming[]> => new Map() }));
vi.mock("../../../runtime-linux/ends/processes-of-run.js", async (original) => ({
  ...(await original<object>()),
  findNaming: () => {
    proc.looks += 1;
    return proc.look();
  },
}));

beforeEach(() => {
  proc.looks = 0;
});

test("one scan of all processes per round serves all execs, as long as one is in progress", () =>
  withPlaces(3, async (places, found) => {
    const line = ["conmon", places[0]!.run.name, ...places.map(({ spec }) => spec)];
    const atWork = new Map([[places[0]!.run.name, [{ pid: process.pid, line }]]]);
    proc.look = () => (proc.looks < 3 ? atWork : new Map());
    expect(await found()).toEqual([false, false, false]);
    expect(proc.looks).toBe(3);
  }));

test("there is no scan if their ends are recorded", () =>
  withPlaces(3, async (places, found) => {
    for (const place of places.slice(0, 2)) place.writeExit(0);
    places[2]!.writeStarted(process.pid);
    expect(await found()).toEqual([false, false, true]);
    expect(proc.looks).toBe(0);
  }));

test("an end that cannot be read at first is reported later", () =>
  withPlaces(2, async ([place, other], found, told) => {
    const child = spawn("sleep", ["1000"]);
    for (const one of [place!, other!]) one.writeStarted(child.pid!);
    expect(await found()).toEqual([true, true]);
    const exit = join(place!.directory, "exit");
    mkdirSync(exit); // can be neither written nor read
    other!.writeExit(0);
    child.kill("SIGKILL");
    await once(child, "exit");
    await until("the other's end to be told", () => told.length > 0);
    expect(told).toMatchObject([{ tag: "exec-exited", val: { exec: "exec-1" } }]);
    rmdirSync(exit);
    place!.writeExit(3);
    await until("the end to be told", () => told.length > 1);
    expect(told[1]).toMatchObject({ tag: "exec-exited", val: { exec: "exec-0", exit: { code: 3, lost: false } } });
  }));

/** `found` resolves to whether each of them runs; `told` collects later reports. */
async function withPlaces(
  count: number,
  act: (places: ExecPlace[], found: () => Promise<boolean[]>, told: Input[]) => Promise<void>,
): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "coracle-execs-"));
  const paths = new Paths({ data: join(root, "data"), exec: join(root, "exec") });
  const run = new Run(paths, "c".repeat(64), 1);
  const places = Array.from({ length: count }, (_, number) => new ExecPlace(run, `exec-${number}`));
  for (const place of places) place.make({});
  const at = { paths, conmon: "conmon", cgroups: { pids: () => new Set() } } as unknown as Surroundings;
  const told: Input[] = [];
  const execs = new Execs(at, (input) => told.push(input));
  try {
    await act(places, async () => (await execs.inventory([run])).map(({ running }) => running), told);
  } finally {
    execs.close();
    rmSync(root, { recursive: true });
  }
}
