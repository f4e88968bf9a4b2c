// testcontainers, unchanged: the library behind most Node programs that test against services in containers.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { REFERENCE } from "../support/allowed-skips.js";
import { dockerRegistryMissing, freePort, startDockerRegistry } from "../support/registry/docker-registry.js";
import { ROOT } from "../support/engines.js";
import { busyboxLayer } from "../support/archives/images.js";
import { onEngines } from "../support/on-engines.js";
import { packImage, pushImage } from "../support/registry/push-image.js";
import { Stories } from "./stories.js";

const registryMissing = dockerRegistryMissing();

onEngines("testcontainers", (engine, kind) => {
  let directory = "";
  let program: Stories;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "coracle-tc-"));
    await mkdir(join(directory, "folder"));
    await writeFile(join(directory, "file"), "a file\n");
    await writeFile(join(directory, "folder/inner"), "inside\n");
    program = await startProgram();
  });
  afterAll(async () => {
    program?.end();
    await rm(directory, { recursive: true, force: true });
  });

  test("waits for listening ports, and again after a restart", async () => {
    expect(await tell("listening")).toEqual(["served", "served"]);
  });

  test("waits for an HTTP answer", async () => {
    expect(await tell("http")).toBe("served");
  });

  test("mapped ports", async () => {
    expect(await tell("ports", String(await freePort()))).toEqual([true, true, true]);
  });

  test("waits for log messages", async () => {
    expect(await tell("log")).toBe("line 2\nline 3\n");
    expect(await tell("log that ends")).toContain('message "ready" was not received');
  });

  test("waits for health", async () => {
    expect(await tell("health")).toBe("Health check failed: unhealthy");
  });

  test("waits for a command", async () => {
    expect(await tell("command")).toContain("not successful after 500ms");
  });

  test("waits for the end", async () => {
    expect(await tell("end")).toEqual(["done\n", expect.stringContaining("Container failed to start")]);
  });

  test("exec", async () => {
    const missing = engine().expected("exec-failed-code", 127, 126);
    expect(await tell("exec")).toEqual(["plain\n", "out\nso\n/tmp\n65534\n", "err\n", 3, missing]);
  });

  test("files in and out", async () => {
    const output = ["600", "from a tar", "by text", "a file", "inside", "later", "a file", "inside", ""];
    const inner = ["folder/: ", "folder/inner: inside\n"];
    expect(await tell("copies", directory)).toEqual([output, inner, ["later: later\n"]]);
  });

  test.each(["the classic builder", "BuildKit"])("builds a Dockerfile by %s", async (how) => {
    const context = join(directory, "context");
    await mkdir(context, { recursive: true });
    const command = 'CMD ["sh", "-c", "echo ready; exec sleep 1000"]';
    await writeFile(join(context, "Dockerfile"), `FROM busybox\nARG A\nRUN echo $A > /made\n${command}\n`);
    expect(await tell("build", context, how)).toBe("given\n");
    await engine().must(200, "DELETE", "/images/tc:built");
  });

  test("logs as they come", async () => {
    expect(await tell("logs")).toEqual(["one\ntwo\nready\n", "one\ntwo\nready\n"]);
  });

  test("options", async () => {
    const output = ["value", "inside", "12", "34", "/tmp", "66", "1", "10.11.12.13\telsewhere"];
    const about = ["/tc-options", "testcontainers", "inside", "bridge"];
    expect(await tell("options")).toEqual([output, about, true]);
  });

  test("binds", async () => {
    expect(await tell("bind", directory)).toBe("a file\n1\n");
  });

  test("network modes", async () => {
    expect(await tell("network modes")).toEqual(["owners\n", "lo\n"]);
  });

  test("restart, and waits for output after it", async ({ skip }) => {
    if (kind === "reference") skip(REFERENCE.startAndLogs);
    expect(await tell("restart")).toBe("run\nrun\n");
  });

  test("reuse", async () => {
    expect(await tell("reuse")).toEqual([true, true, 0]);
  });

  test("commit", async () => {
    expect(await tell("commit")).toEqual([true, "kept\nhere\n"]);
  });

  test("pull", async ({ skip }) => {
    if (registryMissing !== null) skip(registryMissing);
    const registry = await startDockerRegistry(engine().daemon.netns, 5007);
    const config = { Cmd: ["sh", "-c", "echo pulled; exec sleep 1000"] };
    const image = packImage({ reference: null, config, layers: [await busyboxLayer()] });
    await pushImage(registry, "tc", ["1"], image);
    expect(await tell("pull", `${registry.host}/tc:1`)).toContain("manifest unknown");
    await registry.close();
  });

  test("networks", async () => {
    expect(await tell("networks")).toBe(0);
  });

  // Elsewhere its image would come from a registry that cannot be reached. Here it has a stand-in.
  if (kind === "simulated")
    test("ryuk removes what a program left, and ends", async () => {
      const leaving = await startProgram({
        TESTCONTAINERS_RYUK_DISABLED: "false",
        TESTCONTAINERS_RYUK_RECONNECTION_TIMEOUT: "1s",
      });
      expect(await leaving.tell("left")).toMatchObject({ status: "running", ryuk: "running" });
      leaving.end();
      await expect.poll(() => engine().read("/containers/json?all=1")).toEqual([]);
      await expect.poll(async () => ((await engine().read("/networks")) as unknown[]).length).toBe(3);
    });

  test("leaves nothing behind", async () => {
    expect(await engine().read("/containers/json?all=1")).toEqual([]);
  });

  function tell(...story: string[]): Promise<unknown> {
    return program.tell(...story);
  }

  async function startProgram(more: NodeJS.ProcessEnv = {}): Promise<Stories> {
    const outfile = join(ROOT, "build/clients/testcontainers.mjs");
    await build({
      ...{ entryPoints: [PROGRAM], outfile, bundle: true, platform: "node", format: "esm", target: "node20" },
      ...{ packages: "external", logLevel: "silent" },
    });
    return new Stories([process.execPath, outfile], {
      DOCKER_HOST: `unix://${engine().socketPath}`,
      DOCKER_CONFIG: directory,
      HOME: directory,
      // Published ports are in the engine's own network namespace.
      TESTCONTAINERS_HOST_OVERRIDE: engine().daemon.netns.address,
      // Its image would be pulled from a registry that cannot be reached.
      TESTCONTAINERS_RYUK_DISABLED: "true",
      ...more,
    });
  }
});

const PROGRAM = fileURLToPath(new URL("./testcontainers/program.ts", import.meta.url));
