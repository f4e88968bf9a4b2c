// A daemon that is told to end while something is under way ends what it has begun: nothing is left mounted, no process
// goes on but those of containers and their supervisors, and the next daemon finds all in order. After `kill -9` the next
// daemon clears up.
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { pause, until } from "../support/commands.js";
import type { DaemonProcess } from "../support/daemon-process.js";
import { EngineClient } from "../support/engine-client.js";
import { engines, startCoracle } from "../support/engines.js";
import { busyboxArchive, tarOf } from "../support/images.js";
import { describeUnless } from "../support/on-engines.js";
import { findProcesses } from "../support/processes.js";

const linux = engines().find((engine) => engine.kind === "linux");
const missing = linux === undefined ? "another engine was chosen" : linux.missing;

const BYTES = 64 << 20;
const NAME = "stopped";
const TAR = { "Content-Type": "application/x-tar" };
interface Doing {
  method?: string;
  target: string;
  headers?: Record<string, string>;
  /** Half of it is sent. */
  half?: Promise<Uint8Array>;
  json?: unknown;
}

const STOPPED = `/v1.55/containers/${NAME}`;
const RUNNING = "/v1.55/containers/runs";
const UPGRADE = { Connection: "Upgrade", Upgrade: "tcp" };
const file = () => tarOf([{ name: "large", body: new Uint8Array(1 << 20) }]);

const DOINGS: Record<string, () => Doing> = {
  "copying out of a container that stands still": () => ({ target: `${STOPPED}/archive?path=/` }),
  "copying out of a container that runs": () => ({ target: `${RUNNING}/archive?path=/` }),
  "copying into a container that stands still": () => ({
    ...{ method: "PUT", target: `${STOPPED}/archive?path=/tmp`, headers: TAR, half: file() },
  }),
  "copying into a container that runs": () => ({
    ...{ method: "PUT", target: `${RUNNING}/archive?path=/tmp`, headers: TAR, half: file() },
  }),
  exporting: () => ({ target: `${STOPPED}/export` }),
  "looking for changes": () => ({ target: `${STOPPED}/changes` }),
  committing: () => ({ method: "POST", target: `/v1.55/commit?container=${NAME}` }),
  "filling a volume": () => ({
    method: "POST",
    target: "/v1.55/containers/create?name=filled",
    json: { Image: "large", Cmd: ["true"], Volumes: { "/data": {} } },
  }),
  loading: () => ({ method: "POST", target: "/v1.55/images/load", headers: TAR, half: busyboxArchive() }),
  saving: () => ({ target: "/v1.55/images/large/get" }),
  "following a log": () => ({ target: `${RUNNING}/logs?follow=1&stdout=1` }),
  attached: () => ({ method: "POST", target: `${RUNNING}/attach?stream=1&stdout=1&stdin=1`, headers: UPGRADE }),
  "watching figures": () => ({ target: `${RUNNING}/stats` }),
  waiting: () => ({ method: "POST", target: `${RUNNING}/wait` }),
  "following events": () => ({ target: "/v1.55/events" }),
};

describeUnless(missing, "a daemon told to end", () => {
  let daemon: DaemonProcess;
  let engine: EngineClient;
  let runs: string;

  beforeAll(async () => {
    daemon = await startCoracle();
    engine = new EngineClient(daemon.socketPath);
    const script = `mkdir /data; head -c ${BYTES} /dev/urandom > /data/large`;
    const id = await engine.create({ Cmd: ["sh", "-c", script] }, `?name=${NAME}`);
    await engine.start(id);
    expect(await engine.wait(id)).toBe(0);
    await engine.must(201, "POST", `/commit?container=${NAME}&repo=large`);
    const loop = "trap 'exit 0' TERM; while :; do echo x; sleep 0.1; done";
    runs = await engine.running({ Cmd: ["sh", "-c", `head -c ${BYTES} /dev/urandom > /large; ${loop}`] }, "?name=runs");
  });
  beforeEach(async () => {
    await until("the daemon to be calm", () => mountsOfOthers().length === 0);
  });
  afterAll(async () => daemon?.close());

  for (const [what, doing] of Object.entries(DOINGS)) {
    test(`while ${what}`, async () => {
      await during(doing(), "SIGTERM");
      expect(daemon.exitCode()).toBe(0);
      expect(mountsOfOthers()).toEqual([]);
      await daemon.start();
      await inOrder();
    });

    test(`killed while ${what}`, async () => {
      await during(doing(), "SIGKILL");
      await daemon.start();
      await until("what is left to be cleared away", () => mountsOfOthers().length === 0);
      await inOrder();
    });
  }

  /** Nobody reads what is answered, beyond what the sockets hold. */
  async function during({ method = "GET", target, headers = {}, half, json }: Doing, signal: NodeJS.Signals) {
    const whole = half === undefined ? Buffer.from(json === undefined ? "" : JSON.stringify(json)) : await half;
    const type = json === undefined ? {} : { "Content-Type": "application/json" };
    const all = { Host: "x", ...headers, ...type, "Content-Length": String(whole.length) };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    const socket = connect(daemon.socketPath).on("error", () => {});
    socket.write(`${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n`);
    socket.write(half === undefined ? whole : whole.subarray(0, whole.length / 2));
    await pause(200);
    await daemon.end(signal);
    socket.destroy();
  }

  /** Mounts and processes of the engine's that are not the running container's. */
  function mountsOfOthers(): string[] {
    const { root, execRoot } = daemon.directories;
    const lines = readFileSync("/proc/self/mountinfo", "utf8").split("\n");
    const points = lines.map((line) => line.split(" ")[4] ?? "").filter((point) => point.startsWith(`${root}/`));
    return points.filter((point) => point !== execRoot && !point.includes(runs) && !isNetworks(point));
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
    expect(findProcesses("conmon", runs).length).toBe(1);
    const head = await engine.must(200, "GET", `/containers/${NAME}/archive?path=/etc/passwd`);
    expect(head.text).toContain("root:");
  }
});

function isNetworks(point: string): boolean {
  return point.includes("/networks/");
}
