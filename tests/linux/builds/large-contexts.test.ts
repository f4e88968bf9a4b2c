// buildx sends contexts that are large, or that change while they are read. CORACLE_TEST_BUILDX is the plugin's path, and
// CORACLE_TEST_CONTEXT_MIB how large a large one is.

import { spawn } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { UNPACKAGED } from "../../support/allowed-skips.js";
import { must, run } from "../../support/commands.js";
import { describeUnless } from "../../support/on-engines.js";
import { rssKibibytes } from "../../support/processes.js";
import { killedDaemon, missing } from "../killed-daemon.js";

const BUILDX = process.env["CORACLE_TEST_BUILDX"];
const CONTEXT_MIB = Number(process.env["CORACLE_TEST_CONTEXT_MIB"] ?? 256);
/** Of the daemon's memory: far less than the context has. */
const MEBIBYTES_MORE = 150;
const END = "the end\n";

describeUnless(missing ?? (BUILDX === undefined ? UNPACKAGED.buildx : null), "a context", () => {
  const killed = killedDaemon();
  let top = "";
  beforeAll(() => {
    top = fs.mkdtempSync(join(tmpdir(), "coracle-context-"));
  });
  afterAll(() => fs.rmSync(top, { recursive: true, force: true }));

  function contextOf(dockerfile: string): string {
    const context = fs.mkdtempSync(join(top, "context-"));
    fs.writeFileSync(join(context, "Dockerfile"), dockerfile);
    return context;
  }

  const env = () => ({ ...process.env, DOCKER_HOST: `unix://${killed.daemon.socketPath}`, DOCKER_CONFIG: top });
  const build = (context: string): string[] => [BUILDX!, "build", "--progress", "plain", "-t", "contexts:1", context];
  const printed = async (Cmd: string[]): Promise<string> =>
    (await killed.engine.run({ Image: "contexts:1", Cmd, HostConfig: { NetworkMode: "none" } })).stdout;

  test(
    `of ${CONTEXT_MIB} MiB arrives whole, and the daemon keeps none of it in memory`,
    { timeout: 600_000 },
    async () => {
      const context = contextOf(
        "FROM busybox\nRUN --mount=target=/c stat -c %s /c/large > /s; tail -c 8 /c/large > /e\n",
      );
      const size = CONTEXT_MIB * 2 ** 20;
      fs.writeFileSync(join(context, "large"), "");
      fs.truncateSync(join(context, "large"), size - END.length);
      fs.appendFileSync(join(context, "large"), END);
      const before = rssKibibytes(killed.daemon.pid());
      let most = 0;
      const watching = setInterval(() => (most = Math.max(most, rssKibibytes(killed.daemon.pid()))), 20);
      const told = await run(build(context), { env: env() }).finally(() => clearInterval(watching));
      expect([told.code, told.stderr]).toEqual([0, expect.any(String)]);
      // A message for each piece has some bytes more.
      const [, amount, unit] = /transferring context: ([\d.]+)([MG])B .*done$/m.exec(told.stderr) ?? [];
      expect((Number(amount) * (unit === "G" ? 1e9 : 1e6)) / size).toBeCloseTo(1, 1);
      expect((most - before) / 1024).toBeLessThan(MEBIBYTES_MORE);
      expect(await printed(["cat", "/s", "/e"])).toBe(`${size}\n${END}`);
    },
  );

  test(
    "that changes while it is read makes an image or an error, and the next one is right",
    { timeout: 240_000 },
    async () => {
      const context = contextOf("FROM busybox\nCOPY . /all/\n");
      for (let at = 0; at < 200; at++) fs.writeFileSync(join(context, `f${at}`), "x".repeat(50_000));
      // Grows, shrinks, replaces, removes and adds files, as fast as it can.
      const script =
        "i=0; while :; do i=$((i+1)); n=$((i%200)); echo more >> f$n; : > f$(((n+50)%200)); " +
        "echo new > t; mv t f$(((n+100)%200)); rm -f f$(((n+150)%200)); echo $i > a$n; done";
      const changing = spawn("sh", ["-c", script], { cwd: context, stdio: "ignore" });
      try {
        for (let times = 0; times < 6; times++) {
          const { code, stderr } = await run(build(context), { env: env() });
          if (code !== 0) expect(stderr).toMatch(/no such file or directory|changed|not found/);
        }
      } finally {
        changing.kill("SIGKILL");
        await new Promise((resolve) => changing.once("exit", resolve));
      }
      await must(build(context), { env: env() });
      const sums = "cd DIR; sha256sum $(ls | sort)";
      const here = await must(["sh", "-c", sums.replace("DIR", context)]);
      expect(await printed(["sh", "-c", sums.replace("DIR", "/all")])).toBe(here);
    },
  );
});
