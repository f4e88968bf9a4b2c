// Stops a daemon while an operation is under way: it ends what it has begun, nothing stays mounted, no processes remain
// except containers and their supervisors, and the next daemon finds everything in order. After `kill -9` the next
// daemon cleans up.
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { must, until } from "../support/commands.js";
import type { DaemonProcess } from "../support/daemon-process.js";
import { EngineClient } from "../support/engine-client.js";
import { missingLinux, startCoracle } from "../support/engines.js";
import { busyboxArchive, tarOf } from "../support/archives/images.js";
import { startMemoryRegistry, type MemoryRegistry } from "../support/registry/memory-registry.js";
import { describeUnless } from "../support/on-engines.js";
import { findProcesses } from "../support/processes.js";
import { digestOf, packImage } from "../support/registry/push-image.js";

const missing = missingLinux();

const BYTES = 64 << 20;
const NAME = "stopped";
const TAR = { "Content-Type": "application/x-tar" };
interface Doing {
  method?: string;
  target: string;
  headers?: Record<string, string>;
  /** Sends half of the body. */
  half?: Promise<Uint8Array>;
  json?: unknown;
  /** Whether it is under way. Without this, it is under way once its answer has begun or the sent part was read. */
  begun?: () => boolean | Promise<boolean>;
  /** Under way once this is true or it was answered, because it may be over soon. */
  seen?: (at: At) => boolean;
}

const STOPPED = `/v1.55/containers/${NAME}`;
const RUNNING = "/v1.55/containers/runs";
const UPGRADE = { Connection: "Upgrade", Upgrade: "tcp" };
const file = () => tarOf([{ name: "large", body: new Uint8Array(1 << 20) }]);

/** The objects that operations need. */
interface At {
  engine: EngineClient;
  registry: MemoryRegistry;
  daemon: DaemonProcess;
  /** Id of the running container. */
  runs: string;
}

const DOINGS: Record<string, (at: At) => Doing | Promise<Doing>> = {
  "copying out of a container that stands still": () => ({ target: `${STOPPED}/archive?path=/` }),
  "copying out of a container that runs": () => ({ target: `${RUNNING}/archive?path=/` }),
  "copying into a container that stands still": () => ({
    ...{ method: "PUT", target: `${STOPPED}/archive?path=/tmp`, headers: TAR, half: file() },
  }),
  "copying into a container that runs": () => ({
    ...{ method: "PUT", target: `${RUNNING}/archive?path=/tmp`, headers: TAR, half: file() },
  }),
  exporting: () => ({ target: `${STOPPED}/export` }),
  "looking for changes": () => ({ target: `${STOPPED}/changes`, seen: isMounted }),
  committing: () => ({ method: "POST", target: `/v1.55/commit?container=${NAME}`, seen: isMounted }),
  "filling a volume": (at) => {
    const before = volumesOf(at);
    return {
      method: "POST",
      target: "/v1.55/containers/create?name=filled",
      json: { Image: "large", Cmd: ["true"], Volumes: { "/data": {} } },
      seen: (now) => volumesOf(now) > before,
    };
  },
  loading: () => ({ method: "POST", target: "/v1.55/images/load", headers: TAR, half: busyboxArchive() }),
  saving: () => ({ target: "/v1.55/images/large/get" }),
  "following a log": () => ({ target: `${RUNNING}/logs?follow=1&stdout=1` }),
  attached: () => ({ method: "POST", target: `${RUNNING}/attach?stream=1&stdout=1&stdin=1`, headers: UPGRADE }),
  "watching figures": () => ({ target: `${RUNNING}/stats` }),
  waiting: () => ({ method: "POST", target: `${RUNNING}/wait` }),
  "following events": () => ({ target: "/v1.55/events" }),
  "unpacking a layer that is pulled": ({ registry }) => ({
    ...{ method: "POST", target: `/v1.55/images/create?fromImage=${registry.host}/halting&tag=1` },
    begun: () => registry.asked.some((line) => line.startsWith("GET /v2/halting/blobs/") && line.includes(LAYER)),
  }),
  "executing, attached": async ({ engine }) => execOf(engine, { Cmd: ["cat"], AttachStdin: true, AttachStdout: true }),
  "executing on a terminal": async ({ engine }) =>
    execOf(engine, { Cmd: ["cat"], AttachStdin: true, AttachStdout: true, Tty: true }),
  "a start is under way": async ({ engine }) => {
    const id = await engine.create({ HostConfig: { Runtime: "halting", NetworkMode: "none" } }, "?name=filled");
    const begun = () => findProcesses("halting", "create", id).length > 0;
    return { method: "POST", target: `/v1.55/containers/${id}/start`, begun };
  },
};

async function execOf(engine: EngineClient, body: object): Promise<Doing> {
  const { Id } = (await engine.must(201, "POST", "/containers/runs/exec", body)).json<{ Id: string }>();
  const running = async () => (await engine.read<{ Running: boolean }>(`/exec/${Id}/json`)).Running;
  return { method: "POST", target: `/v1.55/exec/${Id}/start`, headers: UPGRADE, json: {}, begun: running };
}

/** An OCI runtime that never completes: it waits until the test writes to it. */
const HALTING = `#!/bin/sh
case "$*" in
  *--version*) echo halting version 1 ;;
  *create*) read line < "$(dirname "$0")/nobody" ;;
esac
`;
/** For an image of which half a layer arrives. */
const layer = await tarOf([{ name: "large", body: randomBytes(4 << 20) }]);
const HALTS = packImage({ reference: null, config: { Cmd: ["x"] }, layers: [layer] });
const LAYER = digestOf(HALTS.layers[0]!.bytes);

describeUnless(missing, "a daemon that is stopped", () => {
  let daemon: DaemonProcess;
  let engine: EngineClient;
  let registry: MemoryRegistry;
  let directory: string;
  let runs: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "coracle-orderly-"));
    await writeFile(join(directory, "halting"), HALTING, { mode: 0o755 });
    await must(["mkfifo", join(directory, "nobody")]);
    const runtime = ["--add-runtime", `halting=${join(directory, "halting")}`];
    daemon = await startCoracle([...runtime, "--insecure-registry", "10.213.0.0/16"]);
    engine = new EngineClient(daemon.socketPath);
    registry = await startMemoryRegistry(daemon.netns.hostAddress);
    registry.put("halting", ["1"], HALTS);
    registry.fault((request, response, bytes) => {
      if (bytes === null || request.url?.endsWith(LAYER) !== true) return false;
      response.writeHead(200, { "Content-Length": bytes.length });
      response.write(bytes.subarray(0, bytes.length / 2));
      return true;
    });
    const script = `mkdir /data; head -c ${BYTES} /dev/urandom > /data/large`;
    const id = await engine.create({ Cmd: ["sh", "-c", script] }, `?name=${NAME}`);
    await engine.start(id);
    expect(await engine.wait(id)).toBe(0);
    await engine.must(201, "POST", `/commit?container=${NAME}&repo=large`);
    const loop = "trap 'exit 0' TERM; while :; do echo x; sleep 0.1; done";
    runs = await engine.running({ Cmd: ["sh", "-c", `head -c ${BYTES} /dev/urandom > /large; ${loop}`] }, "?name=runs");
  });
  beforeEach(async () => {
    await until("the daemon to be calm", () => mountsOfOthers(at()).length === 0);
  });
  afterAll(async () => {
    await daemon?.close();
    await registry?.close();
    await rm(directory, { recursive: true, force: true });
  });

  for (const [what, doing] of Object.entries(DOINGS)) {
    test(`while ${what}`, async () => {
      await during(await doing(at()), "SIGTERM");
      expect(daemon.exitCode()).toBe(0);
      expect(mountsOfOthers(at())).toEqual([]);
      await daemon.start();
      await inOrder();
    });

    test(`killed while ${what}`, async () => {
      await during(await doing(at()), "SIGKILL");
      await daemon.start();
      await until("what is left to be cleared away", () => mountsOfOthers(at()).length === 0);
      await inOrder();
    });
  }

  function at(): At {
    return { engine, registry, daemon, runs };
  }

  /** The answer is not read, beyond what the sockets hold. */
  async function during(doing: Doing, signal: NodeJS.Signals): Promise<void> {
    const { method = "GET", target, headers = {}, half, json, begun, seen } = doing;
    registry.asked.length = 0;
    const whole = half === undefined ? Buffer.from(json === undefined ? "" : JSON.stringify(json)) : await half;
    const type = json === undefined ? {} : { "Content-Type": "application/json" };
    const all = { Host: "x", ...headers, ...type, "Content-Length": String(whole.length) };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    const socket = connect(daemon.socketPath).on("error", () => {});
    socket.write(`${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n`);
    socket.write(half === undefined ? whole : whole.subarray(0, whole.length / 2));
    let isAnswered = false;
    socket.once("readable", () => (isAnswered = true));
    // More than the sockets hold is sent.
    const isTaken = (): boolean => half !== undefined && socket.writableLength === 0;
    await until("it to be under way", begun ?? (() => isAnswered || isTaken() || seen?.(at()) === true));
    await daemon.end(signal);
    socket.destroy();
  }

  async function inOrder(): Promise<void> {
    const list = await engine.read<{ Names: string[]; State: string }[]>("/containers/json?all=1");
    const filled = list.some(({ Names }) => Names.includes("/filled"));
    if (filled) await engine.must(204, "DELETE", "/containers/filled?v=1");
    const rest = list.filter(({ Names }) => !Names.includes("/filled"));
    expect(rest.map(({ Names, State }) => [Names[0], State])).toEqual([
      ["/runs", "running"],
      [`/${NAME}`, "exited"],
    ]);
    await until("no supervisor but one", () => findProcesses("conmon", daemon.directories.root).length === 1);
    expect(findProcesses(join(directory, "halting"), "create")).toEqual([]);
    expect(findProcesses("conmon", runs).length).toBe(1);
    const head = await engine.must(200, "GET", `/containers/${NAME}/archive?path=/etc/passwd`);
    expect(head.text).toContain("root:");
  }
});

describeUnless(missing, "a daemon that is stopped with no container left", () => {
  test("has nothing mounted, its own exec root included", async () => {
    const daemon = await startCoracle();
    try {
      expect((await new EngineClient(daemon.socketPath).run({ Cmd: ["true"] })).code).toBe(0);
      await daemon.end("SIGTERM");
      expect(daemon.exitCode()).toBe(0);
      expect(pointsBelow(daemon.directories.root)).toEqual([]);
      expect(findProcesses(daemon.directories.root)).toEqual([]);
    } finally {
      await daemon.close();
    }
  });
});

function pointsBelow(root: string): string[] {
  const lines = readFileSync("/proc/self/mountinfo", "utf8").split("\n");
  return lines.map((line) => line.split(" ")[4] ?? "").filter((point) => point.startsWith(`${root}/`));
}

/** The engine's mounts, except those of the running container. */
function mountsOfOthers({ daemon, runs }: At): string[] {
  const { root, execRoot } = daemon.directories;
  return pointsBelow(root).filter((point) => point !== execRoot && !point.includes(runs) && !isNetworks(point));
}

/** Number of volumes. */
function volumesOf({ daemon }: At): number {
  const place = join(daemon.directories.dataRoot, "volumes");
  return existsSync(place) ? readdirSync(place).length : 0;
}

function isMounted(at: At): boolean {
  return mountsOfOthers(at).length > 0;
}

function isNetworks(point: string): boolean {
  return point.includes("/networks/");
}
