// Variables whose values are secrets: where they are while a run lasts, on an exec root that is on a disk.

import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statfsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { RAMFS_MAGIC } from "../../../runtime-linux/content/filesystems.js";
import { launchOf, makeRootfs, newDirectory, newId, openFixture, type Fixture } from "./fixture.js";
import { onRuntimes } from "./on-runtimes.js";

onRuntimes("variables that are secrets", (on) => {
  /** Launches a run that has the variable SECRET. */
  async function launch(
    { paths, processes }: Fixture,
    container: string,
    value: string,
    args: string[],
  ): Promise<void> {
    const held = newId();
    mkdirSync(dirname(paths.heldSecret(held)), { recursive: true });
    writeFileSync(paths.heldSecret(held), value);
    makeRootfs(paths, container);
    const variables = [{ name: "SECRET", container: held }];
    await processes.perform(1n, launchOf(container, processes.runtimes[0]!, args, { variables }), () => {});
  }

  const reap = ({ processes }: Fixture, container: string): Promise<unknown> =>
    processes.perform(1n, { tag: "reap", val: { container, run: 1 } }, () => {});

  /** Files that have the value, but for the secret itself, and whether they are in memory. */
  function kept({ exec, data }: Fixture["paths"]["roots"], value: string): [path: string, inMemory: boolean][] {
    return [exec, data].flatMap((root) =>
      readdirSync(root, { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isFile() && entry.name !== "secret")
        .map(({ parentPath, name }) => join(parentPath, name))
        .filter((path) => readFileSync(path).includes(value))
        .map((path) => [path, statfsSync(dirname(path)).type === RAMFS_MAGIC] as [string, boolean]),
    );
  }

  it("are in the process, and in memory as long as the run is there", async () => {
    const { fixture } = on;
    const [container, value] = [newId(), randomUUID()];
    await launch(fixture, container, value, ["sh", "-c", 'test -n "$SECRET" && sleep 100']);
    const found = kept(fixture.paths.roots, value);
    expect(found).toContainEqual([join(fixture.paths.run(container, 1), "config.json"), true]);
    expect(found.filter(([, inMemory]) => !inMemory)).toEqual([]);
    const states = readdirSync(fixture.paths.runtime(""), { recursive: true }).map(String);
    expect(states.filter((name) => name.includes(container))).toEqual([]);

    await fixture.processes.perform(
      1n,
      { tag: "signal", val: { subject: { container, run: 1 }, number: 9 } },
      () => {},
    );
    expect((await fixture.exited(container)).code).toBe(137);
    await reap(fixture, container);
    expect(kept(fixture.paths.roots, value)).toEqual([]);
    expect(existsSync(fixture.paths.runs(container))).toBe(false);
  });

  it("go with a run that an engine finds, and kills", async () => {
    const directory = newDirectory();
    const [container, value] = [newId(), randomUUID()];
    const first = await openFixture(on.runtime, directory);
    await launch(first, container, value, ["sleep", "100"]);
    await first.processes.close();

    const next = await openFixture(on.runtime, directory);
    const found = await next.processes.inventory();
    expect(found.map(({ state }) => state.tag)).toEqual(["running"]);
    await reap(next, container);
    expect(kept(next.paths.roots, value)).toEqual([]);
    expect(existsSync(next.paths.runs(container))).toBe(false);
    await next.close();
  });

  it("go with a run that its runtime could not make", async () => {
    const { fixture } = on;
    const [container, value] = [newId(), randomUUID()];
    await expect(launch(fixture, container, value, ["/not-there"])).rejects.toThrow();
    await reap(fixture, container);
    expect(kept(fixture.paths.roots, value)).toEqual([]);
    expect(existsSync(fixture.paths.runs(container))).toBe(false);
  });
});
