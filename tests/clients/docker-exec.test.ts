// `docker exec`, unchanged: with pipes and with a terminal, its options and its exit codes.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { REFERENCE } from "../support/allowed-skips.js";
import { until } from "../support/commands.js";
import { onEngines } from "../support/on-engines.js";
import { DOCKER_MISSING, DockerCli, TERMINAL_MISSING } from "./docker.js";

onEngines(
  "docker exec",
  (engine, kind) => {
    let config = "";
    beforeAll(async () => {
      config = await mkdtemp(join(tmpdir(), "coracle-cli-"));
      await docker().well("run", "-d", "--name", "box", "-e", "A=1", "busybox", "sleep", "1000");
    });
    afterAll(async () => {
      await docker().run("rm", "-f", "box");
      await rm(config, { recursive: true, force: true });
    });

    test("it prints the output, and exits with the exit code", async () => {
      expect(await docker().run("exec", "box", "echo", "hello")).toEqual({ code: 0, stdout: "hello\n", stderr: "" });
      const both = await docker().run("exec", "box", "sh", "-c", "echo out; echo err >&2; exit 42");
      expect(both).toEqual({ code: 42, stdout: "out\n", stderr: "err\n" });
    });

    test("many times: nothing is lost", async () => {
      for (let round = 0; round < 10; round += 1) {
        expect((await docker().run("exec", "box", "echo", `round ${round}`)).stdout).toBe(`round ${round}\n`);
      }
    });

    test("codes 126 and 127", async () => {
      const missing = await docker().run("exec", "box", "nothing-here");
      expect(missing.code).toBe(engine().expected("exec-failed-code", 127, 126));
      expect(`${missing.stdout}${missing.stderr}`).toContain("executable file not found in $PATH");
      const denied = await docker().run("exec", "box", "/etc/passwd");
      expect(denied.code).toBe(126);
      expect(`${denied.stdout}${denied.stderr}`).toContain("permission denied");
    });

    test("-i passes standard input on and ends with it", async () => {
      expect(await docker().runWith("one\ntwo\n", "exec", "-i", "box", "cat")).toEqual({
        ...{ code: 0, stdout: "one\ntwo\n", stderr: "" },
      });
      const counted = await docker().runWith("x".repeat(300_000), "exec", "-i", "box", "wc", "-c");
      expect(counted.stdout.trim()).toBe("300000");
    });

    test("-it on a terminal: size, echo, Ctrl-C, exit code", async ({ skip }) => {
      if (TERMINAL_MISSING !== null) skip(TERMINAL_MISSING);
      const steps: (readonly [string, string])[] = [
        ["# ", "stty size; echo $((6*7)); cat\r"],
        ["42\r\n", "said\r"],
        // Echoed by the terminal, then printed by the program, so it is running.
        ["said\r\nsaid\r\n", "\x03"],
        ["# ", "exit 5\r"],
      ];
      const answer = await docker().onTerminal(steps, "exec", "-it", "box", "sh");
      expect(answer.code).toBe(5);
      expect(answer.stdout).toContain("33 101\r\n42\r\n");
    });

    test("-it: the detach keys leave it running", async ({ skip }) => {
      if (TERMINAL_MISSING !== null) skip(TERMINAL_MISSING);
      const steps: (readonly [string, string])[] = [["# ", "echo mark > /left; \x10\x11"]];
      await docker().onTerminal(steps, "exec", "-it", "box", "sh", "-c", "touch /held; sh; rm /held");
      expect((await docker().run("exec", "box", "test", "-e", "/held")).code).toBe(0);
    });

    test("-d detaches", async () => {
      expect(await docker().run("exec", "-d", "box", "sh", "-c", "sleep 0.2; touch /done")).toMatchObject({
        ...{ code: 0, stdout: "", stderr: "" },
      });
      await until("its end", async () => (await docker().run("exec", "box", "test", "-e", "/done")).code === 0);
    });

    test("-e, -w, -u", async () => {
      const inside = (...args: string[]): Promise<string> => docker().well("exec", ...args);
      expect(await inside("-e", "B=2", "box", "sh", "-c", "echo $A $B")).toBe("1 2\n");
      expect(await inside("-w", "/tmp", "box", "pwd")).toBe("/tmp\n");
      expect(await inside("-u", "nobody", "box", "id", "-un")).toBe("nobody\n");
      expect(await inside("-u", "12:34", "box", "sh", "-c", "id -u; id -g")).toBe("12\n34\n");
    });

    test("--privileged", async ({ skip }) => {
      if (kind === "reference") skip(REFERENCE.privileged);
      const capabilities = ["box", "sh", "-c", "grep CapEff /proc/self/status | cut -f2"];
      const all = BigInt(`0x${(await docker().well("exec", "--privileged", ...capabilities)).trim()}`);
      const usual = BigInt(`0x${(await docker().well("exec", ...capabilities)).trim()}`);
      expect(usual).toBe(0xa80425fbn);
      // CAP_SYS_ADMIN
      expect([(all >> 21n) & 1n, (usual >> 21n) & 1n]).toEqual([1n, 0n]);
    });

    test("refusals in the client's words", async () => {
      const stranger = await docker().run("exec", "-u", "nobody-such", "box", "true");
      expect([stranger.code, stranger.stdout + stranger.stderr]).toEqual([
        126,
        expect.stringMatching(/find user nobody-such/),
      ]);
      // Nothing waits for the exit code of a detached exec.
      const detached = await docker().run("exec", "-d", "-u", "nobody-such", "box", "true");
      expect([detached.code, detached.stderr]).toEqual([1, expect.stringMatching(/find user nobody-such/)]);
      const none = await docker().run("exec", "nobody", "true");
      expect([none.code, none.stderr]).toEqual([1, expect.stringMatching(/No such container: nobody/)]);
      await docker().well("create", "--name", "idle", "busybox");
      const idle = await docker().run("exec", "idle", "true");
      expect([idle.code, idle.stderr]).toEqual([1, expect.stringMatching(/is not running/)]);
      await docker().well("rm", "idle");
      await docker().well("pause", "box");
      const paused = await docker().run("exec", "box", "true");
      expect([paused.code, paused.stderr]).toEqual([
        1,
        expect.stringMatching(/is paused, unpause the container before exec/),
      ]);
      await docker().well("unpause", "box");
    });

    test("a health check shows in ps", async () => {
      const options = ["--health-cmd", "test -e /well", "--health-interval", "100ms", "--health-retries", "1"];
      await docker().well(
        "run",
        "-d",
        "--name",
        "checked",
        ...options,
        "busybox",
        "sh",
        "-c",
        "touch /well; sleep 1000",
      );
      const shown = () => docker().well("ps", "--filter", "name=checked", "--format", "{{.Status}}");
      await until("health", async () => (await shown()).includes("(healthy)"));
      await docker().well("exec", "checked", "rm", "/well");
      await until("illness", async () => (await shown()).includes("(unhealthy)"));
      expect(await docker().well("inspect", "-f", "{{.State.Health.Status}}", "checked")).toBe("unhealthy\n");
      await docker().well("rm", "-f", "checked");
    });

    function docker(): DockerCli {
      return new DockerCli(engine().socketPath, config);
    }
  },
  { missing: DOCKER_MISSING },
);
