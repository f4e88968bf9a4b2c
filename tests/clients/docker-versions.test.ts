// The docker CLI with older API versions, and an older CLI if there is one: the same few commands work with each.
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findProgram, run } from "../support/commands.js";
import { onEngines } from "../support/on-engines.js";

const newest = findProgram("docker");
/** Debian's own CLI if another one precedes it in PATH. */
const debian = newest !== "/usr/bin/docker" && existsSync("/usr/bin/docker") ? "/usr/bin/docker" : null;
/** The release that all tests of the docker CLI are written for. */
const MAJOR = "28";
const VERSIONS = ["1.24", "1.25", "1.29", "1.30", "1.35", "1.39", "1.40", "1.41", "1.42", "1.44", "1.47", "1.51"];

onEngines(
  "docker CLI by version",
  (engine, kind) => {
    let config = "";
    beforeAll(async () => {
      config = await mkdtemp(join(tmpdir(), "coracle-cli-"));
    });
    afterAll(async () => rm(config, { recursive: true, force: true }));

    for (const version of VERSIONS.filter((one) => kind !== "reference" || Number(one.slice(2)) <= 41)) {
      test(`held to ${version}`, async () => story(newest ?? "docker", version));
    }

    test("the CLI has the expected version, and knows the engine", async ({ skip }) => {
      const told = await well(newest ?? "docker", "", "version", "-f", "{{.Client.Version}} {{.Server.APIVersion}}");
      const [client = "", server] = told.trim().split(" ");
      expect(server).toBe(engine().engine.maxVersion);
      if (client.split(".")[0] !== MAJOR && process.env["CI"] !== "true") skip(`the docker CLI here is ${client}`);
      expect(client).toMatch(new RegExp(`^${MAJOR}\\.`));
    });

    test("an older CLI", async ({ skip }) => {
      if (debian === null) skip("there is no second docker CLI on this machine");
      await story(debian ?? "", "");
    });

    async function story(docker: string, version: string): Promise<void> {
      expect(await well(docker, version, "run", "--rm", "busybox", "echo", "hello")).toBe("hello\n");
      const id = (
        await well(docker, version, "run", "-d", "--name", "older", "-e", "A=1", "busybox", "sleep", "1000")
      ).trim();
      expect(await well(docker, version, "ps", "-q", "--no-trunc")).toBe(`${id}\n`);
      expect(await well(docker, version, "inspect", "-f", "{{.State.Status}}", "older")).toBe("running\n");
      expect(await well(docker, version, "stop", "-t", "0", "older")).toBe("older\n");
      expect(await well(docker, version, "logs", "older")).toBe("");
      expect(await well(docker, version, "rm", "older")).toBe("older\n");
      expect(await well(docker, version, "images", "-q")).toMatch(/^[0-9a-f]{12}\n$/);
    }

    async function well(docker: string, version: string, ...args: string[]): Promise<string> {
      const env: NodeJS.ProcessEnv = { DOCKER_HOST: `unix://${engine().socketPath}`, DOCKER_CONFIG: config };
      if (version !== "") env["DOCKER_API_VERSION"] = version;
      const { code, stdout, stderr } = await run([docker, ...args], { env });
      if (code !== 0) throw new Error(`docker ${args.join(" ")}: exit code ${code}: ${stderr}`);
      return stdout;
    }
  },
  { missing: newest === null ? "the docker CLI is not installed" : null },
);
