// The docker CLI on a real terminal, unchanged: keys that interrupt, end and detach.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { onEngines } from "../support/on-engines.js";
import { DOCKER_MISSING, DockerCli, TERMINAL_MISSING } from "./docker.js";

type Step = readonly [shown: string, typed: string];

onEngines(
  "docker on a terminal",
  (engine) => {
    let config = "";
    beforeAll(async () => {
      config = await mkdtemp(join(tmpdir(), "coracle-cli-"));
    });
    afterAll(async () => rm(config, { recursive: true, force: true }));

    test("run -it: Ctrl-C interrupts the foreground process, and an init passes it on", async () => {
      const steps: Step[] = [
        ["# ", "echo $((6*7)); cat\r"],
        ["42\r\n", "typed\r"],
        ["typed\r\ntyped\r\n", "\x03"],
        ["# ", "exit 4\r"],
      ];
      expect((await docker().onTerminal(steps, "run", "-it", "--rm", "busybox", "sh")).code).toBe(4);
      const passing = ["--init", "busybox", "sh", "-c", "echo on; exec sleep 1000"];
      const ended = await docker().onTerminal([["on\r\n", "\x03"]], "run", "-it", "--rm", ...passing);
      expect(ended.code).toBe(130);
    });

    test("run -it: Ctrl-D ends the shell", async () => {
      const steps: Step[] = [
        ["# ", "false\r"],
        ["# ", "\x04"],
      ];
      const { code } = await docker().onTerminal(steps, "run", "-it", "--rm", "busybox", "sh");
      expect(code).toBe(1);
    });

    test("start -ai, with custom detach keys", async () => {
      await docker().well("create", "-it", "--name", "again", "busybox", "sh");
      const keys = ["--detach-keys", "ctrl-x,q"];
      await docker().onTerminal([["# ", "x=kept; \x18q"]], "start", "-ai", ...keys, "again");
      expect(await docker().well("inspect", "-f", "{{.State.Running}}", "again")).toBe("true\n");
      const steps: Step[] = [
        ["", "\r"],
        ["# ", "echo $x\r"],
        ["kept\r\n", "exit 6\r"],
      ];
      expect((await docker().onTerminal(steps, "attach", ...keys, "again")).code).toBe(6);
      const second = await docker().onTerminal([["# ", "exit 7\r"]], "start", "-ai", "again");
      expect(second.code).toBe(7);
      await docker().well("rm", "again");
    });

    function docker(): DockerCli {
      return new DockerCli(engine().socketPath, config);
    }
  },
  { missing: DOCKER_MISSING ?? TERMINAL_MISSING },
);
