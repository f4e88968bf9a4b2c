// Uploads to simulated registries that break off go on where they were, and are begun anew only if the registry has
// forgotten them.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { content, engine } from "../../hosts/shared/host.js";
import { openEngine } from "../../hosts/embedding/open.js";
import type { Engine } from "../../hosts/embedding/engine.js";
import { simulatedHost } from "../../hosts/simulated/host.js";
import { filler } from "../../hosts/simulated/registry/files.js";
import { rawTar } from "../support/archives/tar.js";
import { digestOf } from "../support/registry/push-image.js";
import { at, credentials, failed, Fixture } from "./content-fixture.js";

/** Of the tar, which is not smaller when it is compressed. */
const SIZE = 1_000_000;
const CUT = { kind: "registry-cut", afterBytes: 300_000 } as const;
const REPOSITORY = "registry.example/team/mine";

describe("a layer whose upload breaks off", () => {
  let world: Fixture;
  let chain: string;

  beforeEach(async () => {
    world = new Fixture();
    chain = await world.layer(rawTar([{ name: "file", body: filler(SIZE, 7) }]));
  });

  afterEach(() => world.time.close());

  test("goes on where it was: no byte that the registry kept is sent again", async () => {
    world.faults.inject(CUT, 1);
    expect(await failed(upload())).toMatchObject(RESET);
    const asked = world.network.requests.length;
    const before = world.time.now().monotonic;
    const sent = await upload();
    expect(methods(asked)).toEqual(["GET", "PATCH", "PUT"]);
    // The time tells how much was sent: each request takes 20 ms, and 20 MB a second.
    const [rest, requests] = [Number(sent.size) - CUT.afterBytes, world.network.requests.length - asked];
    const seconds = requests * 0.02 + rest / 20_000_000;
    expect(Number(world.time.now().monotonic - before) / 1e9).toBeCloseTo(seconds, 3);
    expect(await stored(sent)).toBe(sent.digest);
  });

  test("gets on with each try, though each breaks off", async () => {
    world.faults.inject(CUT, 3);
    for (let tries = 0; tries < 3; tries++) expect(await failed(upload())).toMatchObject(RESET);
    const sent = await upload();
    expect(methods().filter((method) => method.startsWith("POST"))).toHaveLength(1);
    expect(Number(sent.size)).toBeGreaterThan(3 * CUT.afterBytes);
    expect(await stored(sent)).toBe(sent.digest);
  });

  test("is begun anew if the registry has forgotten it", async () => {
    world.faults.inject(CUT, 1);
    expect(await failed(upload())).toMatchObject(RESET);
    // It keeps 64 that nobody ends. One that does not mount a blob expects it.
    const mounted = {
      to: to("registry.example/team/other"),
      digest: digestOf(Buffer.from("none")),
      source: "team/app",
    };
    for (let others = 0; others < 64; others++) await failed(world.registry.mount(mounted));
    const asked = world.network.requests.length;
    const sent = await upload();
    expect(methods(asked)).toEqual(["GET", "POST", "PATCH", "PUT"]);
    expect(await stored(sent)).toBe(sent.digest);
  });

  test.each([
    ["is busy", { kind: "registry-limited", retryAfter: 1 }, { tag: "registry-answer", val: { status: 429 } }],
    ["fails", { kind: "registry-fails", status: 503 }, { tag: "registry-answer", val: { status: 503 } }],
    ["is gone", { kind: "registry-down" }, { tag: "exchange" }],
  ] as const)("goes on if the registry %s meanwhile", async (_, fault, failure) => {
    world.faults.inject(CUT, 1);
    expect(await failed(upload())).toMatchObject(RESET);
    world.faults.inject(fault, 2);
    for (let tries = 0; tries < 2; tries++) expect(await failed(upload())).toMatchObject(failure);
    const asked = world.network.requests.length;
    const sent = await upload();
    expect(methods(asked)).toEqual(["GET", "PATCH", "PUT"]);
    expect(await stored(sent)).toBe(sent.digest);
  });

  test("is begun anew by a second upload at the same time, and for another repository", async () => {
    world.faults.inject(CUT, 1);
    expect(await failed(upload())).toMatchObject(RESET);
    await Promise.all([upload(), upload(), upload("registry.example/team/other")]);
    expect(methods().filter((method) => method.startsWith("POST"))).toHaveLength(3);
    expect(methods().filter((method) => method.startsWith("GET"))).toHaveLength(1);
  });

  test("is forgotten with the layer", async () => {
    world.faults.inject(CUT, 1);
    expect(await failed(upload())).toMatchObject(RESET);
    await world.perform({ tag: "drop-chain", val: chain });
    expect(await world.layer(rawTar([{ name: "file", body: filler(SIZE, 7) }]))).toBe(chain);
    const asked = world.network.requests.length;
    await upload();
    expect(methods(asked)[0]).toBe("POST");
  });

  async function upload(repository = REPOSITORY): Promise<engine.SentBlob> {
    const command: content.Upload = { to: to(repository), chain, otherWays: 5, unanswered: 5 };
    const { val } = (await world.perform({ tag: "upload", val: command })) as { val: engine.SentBlob };
    return val;
  }

  /** Methods of the requests about uploads, from one on. */
  function methods(from = 0): string[] {
    return world.network.requests.slice(from).flatMap(({ method, url }) => (url.includes("/uploads/") ? method : []));
  }

  /** The digest of what the registry has. */
  async function stored({ digest, size }: engine.SentBlob): Promise<string> {
    return digestOf(await world.registry.blob({ from: to(REPOSITORY), digest, size }));
  }
});

function to(repository: string): content.ListTags {
  return at(repository, credentials("learner", "coracle"));
}

const RESET = { tag: "exchange", val: { method: "PATCH", why: { tag: "closed" } } };

describe("a push", () => {
  const BUSYBOX = 1_000_000;

  test("that breaks off goes on by itself where it was", async () => {
    const host = simulatedHost({ pace: "fast" });
    const engine = await openEngine({ host });
    await tagged(engine);
    host.faults.inject({ ...CUT, afterBytes: BUSYBOX / 2 }, 2);
    expect(await push(engine)).toContain("1: digest: sha256:");
    // The layer is sent in three parts, and the config in a request of its own.
    expect(uploads(host)).toEqual(["POST", "PATCH", "GET", "PATCH", "GET", "PATCH", "PUT", "POST", "PUT"]);
    await engine.close();
  });

  test("amid which the engine dies goes on where it was", async () => {
    const host = simulatedHost({ pace: "stopped" });
    const engine = await openEngine({ host });
    await during(host, tagged(engine));
    host.faults.inject({ kind: "registry-slow", bytesPerSecond: BUSYBOX / 10 });
    push(engine).catch(() => {});
    while (!uploads(host).includes("PATCH")) expect(await host.timers.step()).toBe(true);
    const begun = host.timers.now().monotonic;
    while (host.timers.now().monotonic < begun + 5n * SECOND) await host.timers.step();
    host.faults.inject({ kind: "engine-crash", afterOutputs: 0 })();
    await engine.reopen();

    host.faults.lift("registry-slow");
    const { length } = uploads(host);
    expect(await during(host, push(engine))).toContain("1: digest: sha256:");
    expect(uploads(host).slice(length)).toEqual(["GET", "PATCH", "PUT", "POST", "PUT"]);
    await engine.close();
  });
});

type World = ReturnType<typeof simulatedHost>;

const SECOND = 1_000_000_000n;

async function tagged(engine: Engine): Promise<void> {
  const path = `/images/busybox:latest/tag?repo=${REPOSITORY}&tag=1`;
  expect((await engine.fetch(path, { method: "POST" })).status).toBe(201);
}

async function push(engine: Engine): Promise<string> {
  const account = JSON.stringify({ username: "learner", password: "coracle", serveraddress: "registry.example" });
  const headers = { "X-Registry-Auth": Buffer.from(account).toString("base64url") };
  const response = await engine.fetch(`/images/${REPOSITORY}/push?tag=1`, { method: "POST", headers });
  return response.text();
}

/** Methods of the requests about uploads. */
function uploads({ world }: World): string[] {
  return world.registryRequests().flatMap(({ method, url }) => (url.includes("/uploads/") ? method : []));
}

/** Lets the time of a stopped world pass until something is done. */
async function during<T>({ timers }: World, work: Promise<T>): Promise<T> {
  let isDone = false;
  const done = work.finally(() => (isDone = true));
  while (!isDone) await timers.step();
  return done;
}
