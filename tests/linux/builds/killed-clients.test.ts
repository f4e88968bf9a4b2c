// `kill -9` of buildx at any moment of a build: nothing goes on and nothing is left over, and the next build is right.
// CORACLE_TEST_BUILDX is the plugin's path.

import { spawn } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { UNPACKAGED } from "../../support/allowed-skips.js";
import { must, pause, until } from "../../support/commands.js";
import { describeUnless } from "../../support/on-engines.js";
import { killedDaemon, missing } from "../killed-daemon.js";

const BUILDX = process.env["CORACLE_TEST_BUILDX"];
/** After the client has started. A whole build takes some 700 ms. */
const DELAYS_MS = [0, 20, 40, 60, 80, 110, 150, 200, 260, 330, 420, 520, 640];
/** Of the cache, and whether something uses it. */
interface Cached {
  BuildCache: { InUse: boolean }[];
}

const DOCKERFILE = [
  "FROM busybox AS one",
  "RUN --mount=type=cache,target=/kept echo one >> /kept/log; echo one > /one; sleep 0.1",
  "FROM busybox",
  "COPY . /all/",
  "RUN --mount=target=/in --mount=type=cache,target=/kept,sharing=locked sleep 0.1; cat /in/data /all/data > /both",
  "COPY --from=one /one /",
  "",
].join("\n");

describeUnless(missing ?? (BUILDX === undefined ? UNPACKAGED.buildx : null), "kill -9 of buildx during a build", () => {
  const killed = killedDaemon();
  let top = "";
  beforeAll(() => {
    top = fs.mkdtempSync(join(tmpdir(), "coracle-killed-"));
    fs.mkdirSync(join(top, "context"));
    fs.writeFileSync(join(top, "context/Dockerfile"), DOCKERFILE);
  });
  afterAll(() => fs.rmSync(top, { recursive: true, force: true }));

  const environment = () => ({ ...process.env, DOCKER_HOST: `unix://${killed.daemon.socketPath}`, DOCKER_CONFIG: top });
  const build = (): string[] => [BUILDX!, "build", "--progress", "plain", "-t", "killed:1", join(top, "context")];

  async function killedAfter(delayMs: number): Promise<void> {
    const [program, ...args] = build();
    const client = spawn(program!, args, { env: environment(), stdio: "ignore" });
    const gone = new Promise((resolve) => client.once("exit", resolve));
    await pause(delayMs);
    client.kill("SIGKILL");
    await gone;
  }

  async function calm(): Promise<void> {
    await until("no step to run", async () => (await killed.listed()).length === 0);
    await until("no cache to be in use", async () => {
      const { BuildCache } = await killed.engine.read<Cached>("/system/df");
      return BuildCache.every(({ InUse }) => !InUse);
    });
  }

  test("leaves nothing, at any moment", { timeout: 240_000 }, async () => {
    for (const [at, delayMs] of DELAYS_MS.entries()) {
      fs.writeFileSync(join(top, "context/data"), `${at}\n`.repeat(100_000));
      await killedAfter(delayMs);
      await calm();
      // What the client has begun does not go on.
      const { BuildCache } = await killed.engine.read<Cached>("/system/df");
      await pause(300);
      expect((await killed.engine.read<Cached>("/system/df")).BuildCache).toHaveLength(BuildCache.length);
    }
    fs.writeFileSync(join(top, "context/data"), "last\n");
    await must(build(), { env: environment() });
    const { stdout } = await killed.engine.run({ Image: "killed:1", Cmd: ["cat", "/both", "/one"] });
    expect(stdout).toBe("last\nlast\none\n");
    await killed.removeAll();
    await killed.engine.must(200, "DELETE", "/images/killed:1");
    await killed.engine.must(200, "POST", "/build/prune?all=1");
    await killed.expectNothingLeft();
  });
});
