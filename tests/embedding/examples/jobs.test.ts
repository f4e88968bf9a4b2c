// A unit test of a program that uses Docker (`jobs.ts`, with dockerode) against a simulated engine in the test's own
// process: no daemon, no socket, no root, the same on every system, and registries that fail on request.

import { engineAgent, openEngine, simulatedHost } from "coracle-engine";
import type { Engine, Program, SimulatedHost } from "coracle-engine";
import Docker from "dockerode";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runJob } from "./jobs.js";

let host: SimulatedHost;
let engine: Engine;
let docker: Docker;

beforeEach(async () => {
  host = simulatedHost({ pace: "fast" });
  engine = await openEngine({ host });
  docker = dockerOn(engine);
});

afterEach(() => engine.close());

test("a job returns its output and exit code, and its container is removed", async () => {
  const job = ["sh", "-c", "echo counting; sleep 3600; echo counted; exit 3"];
  expect(await runJob(docker, "busybox", job)).toEqual({ code: 3, output: "counting\r\ncounted\r\n" });
  expect(await docker.listContainers({ all: true })).toEqual([]);
});

test("a missing image is pulled", async () => {
  const { output } = await runJob(docker, "alpine:latest", ["cat", "/etc/alpine-release"]);
  expect(output).toMatch(/^3\./);
});

test("without a registry there is no job", async () => {
  host.faults.inject({ kind: "registry-down" });
  await expect(runJob(docker, "alpine:latest", ["true"])).rejects.toThrow(/registry/);
  expect(await docker.listContainers({ all: true })).toEqual([]);
});

test("a custom program replaces an image's", async () => {
  await engine.close();
  const date: Program = async ({ stdout }) => {
    await stdout.write("the last day of the year\n");
    return 0;
  };
  engine = await openEngine({ host: simulatedHost({ pace: "fast", programs: { date } }) });
  const { output } = await runJob(dockerOn(engine), "busybox", ["date", "+%F"]);
  expect(output).toBe("the last day of the year\r\n");
});

test("a custom program need not be in the image", async () => {
  await engine.close();
  const resize: Program = async ({ argv, stdout }) => {
    await stdout.write(`resized ${argv[1]}\n`);
    return 4;
  };
  engine = await openEngine({ host: simulatedHost({ pace: "fast", programs: { resize } }) });
  const resized = { code: 4, output: "resized cat.png\r\n" };
  expect(await runJob(dockerOn(engine), "alpine:latest", ["resize", "cat.png"])).toEqual(resized);
  expect(await runJob(dockerOn(engine), "busybox", ["sh", "-c", "exec $(which resize) cat.png"])).toEqual(resized);
});

/** The agent leads to the engine, whatever the host name. */
function dockerOn(one: Engine): Docker {
  const options = { protocol: "http", host: "engine", agent: engineAgent(one) } as const;
  return new Docker(options);
}
