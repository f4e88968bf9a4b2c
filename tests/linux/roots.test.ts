// Only one daemon at a time may use a data root or an exec root.
import { join } from "node:path";
import { expect, test } from "vitest";
import { run } from "../support/commands.js";
import { EngineClient } from "../support/engine-client.js";
import { CORACLE, missingLinux, startCoracle } from "../support/engines.js";
import { describeUnless } from "../support/on-engines.js";

const missing = missingLinux();

describeUnless(missing, "roots", () => {
  test("directories in use by a daemon are refused to a second one, which names the owner", async () => {
    const daemon = await startCoracle();
    const { root, dataRoot, execRoot } = daemon.directories;
    const second = (data: string, exec: string): ReturnType<typeof run> => {
      const place = ["-H", `unix://${join(root, "second.sock")}`, "-p", join(root, "second.pid")];
      return run([...CORACLE, "daemon", ...place, "--data-root", data, "--exec-root", exec]);
    };
    try {
      for (const [data, exec, held] of [
        [join(root, "other"), execRoot, execRoot],
        [dataRoot, join(root, "other"), dataRoot],
      ] as const) {
        const { code, stderr } = await second(data, exec);
        expect([code, stderr]).toEqual([1, expect.stringContaining(`delete ${held}/daemon.pid`)]);
        expect(stderr).toContain(`process with PID ${daemon.pid()} is still running`);
      }
      const engine = new EngineClient(daemon.socketPath);
      expect((await engine.run({ Cmd: ["echo", "undisturbed"] })).stdout).toBe("undisturbed\n");
    } finally {
      await daemon.close();
    }
  });
});
