// What the engine makes for containers does not depend on the umask that the daemon was started with.
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { realEngines, RunningEngine, startWithBusybox, type Engine } from "../../support/engines.js";
import { describeUnless } from "../../support/on-engines.js";

for (const engine of realEngines().filter(({ kind }) => kind === "linux")) {
  for (const umask of [0o077, 0o000]) {
    describeUnless(engine.missing, `a daemon with the umask ${umask.toString(8).padStart(3, "0")}`, () => {
      let directory = "";
      let running: RunningEngine | undefined;
      beforeAll(async () => {
        directory = await mkdtemp(join(tmpdir(), "coracle-umask-"));
        running = await startedWith(engine, umask);
      });
      afterAll(async () => {
        await running?.daemon.close();
        await rm(directory, { recursive: true, force: true });
      });

      test("makes mount points and sources of binds that all may enter, and only root may change", async () => {
        const source = join(directory, "made", "source");
        const Cmd = ["stat", "-c", "%n %a %u", "/a", "/a/b", "/a/b/c"];
        const HostConfig = { NetworkMode: "none", Binds: [`${source}:/a/b/c`] };
        const { stdout } = await running!.run({ Image: "busybox", Cmd, HostConfig });
        expect(stdout).toBe("/a 755 0\n/a/b 755 0\n/a/b/c 755 0\n");
        expect((await stat(join(directory, "made"))).mode & 0o777).toBe(0o755);
      });
    });
  }
}

async function startedWith(engine: Engine, umask: number): Promise<RunningEngine> {
  const before = process.umask(umask);
  try {
    return new RunningEngine(engine, await startWithBusybox(engine));
  } finally {
    process.umask(before);
  }
}
