// What a new user sees of the daemon: three lines, sockets for the chosen group, and a shutdown that leaves containers
// running.

import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { EngineClient } from "../support/engine-client.js";
import { missingLinux, startCoracle } from "../support/engines.js";
import { describeUnless } from "../support/on-engines.js";

const missing = missingLinux();
/** Group `daemon`, which Debian always has. */
const DAEMON_GID = 1;

describeUnless(missing, "the daemon", () => {
  test("prints its greeting, listens on the given sockets for the given group, and leaves containers running when it ends", async () => {
    const second = join("/tmp", `coracle-second-${process.pid}.sock`);
    const daemon = await startCoracle(["-H", `unix://${second}`, "-G", "daemon"]);
    try {
      const { socketPath } = daemon;
      // The first socket answers before all sockets exist and the lines are printed.
      await expect.poll(() => daemon.log()).toContain("docker run --rm");
      const lines = daemon.log().split("\n");
      const at = lines.findIndex((line) => line.includes("listens on"));
      expect(lines[at]).toContain(`unix://${socketPath} and unix://${second}`);
      expect(lines[at + 1]).toContain(`export DOCKER_HOST=unix://${socketPath}`);
      expect(lines[at + 2]).toContain("docker run --rm busybox echo hello");
      for (const path of [socketPath, second]) {
        const { mode, gid } = statSync(path);
        expect([mode & 0o777, gid]).toEqual([0o660, DAEMON_GID]);
        expect((await new EngineClient(path).call("GET", "/_ping")).text).toBe("OK");
      }
      const id = await new EngineClient(second).running();
      await daemon.end("SIGTERM");
      expect(() => statSync(second)).toThrow("ENOENT");
      await daemon.start();
      const engine = new EngineClient(socketPath);
      expect(await engine.inspect(id)).toMatchObject({ State: { Status: "running" } });
      await engine.call("DELETE", `/containers/${id}?force=1`);
    } finally {
      await daemon.close();
    }
  });
});
