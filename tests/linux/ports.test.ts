// Published ports on IPv6 of containers that have IPv4 alone, which a process forwards: while the daemon is dead, without
// IPv6, and with many clients.
import { readdirSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { must, run, until } from "../support/commands.js";
import type { DaemonProcess } from "../support/daemon-process.js";
import { EngineClient, type Json } from "../support/engine-client.js";
import { missingLinux, startCoracle } from "../support/engines.js";
import { describeUnless } from "../support/on-engines.js";
import { findProcesses } from "../support/processes.js";

const missing = missingLinux();

describeUnless(missing, "ports on IPv6", () => {
  let daemon: DaemonProcess;
  let engine: EngineClient;
  beforeAll(async () => {
    daemon = await startCoracle();
    engine = new EngineClient(daemon.socketPath);
  });
  afterAll(async () => {
    await daemon?.close();
    expect(forwarders()).toEqual([]);
  });

  test("they lead to a container while the daemon is dead, and are free once it is back if the container ended", async () => {
    const kept = await published("18410", { Cmd: SERVING });
    const ended = await published("18411", { Cmd: ["sleep", "1000"] });
    await until("an answer", async () => (await answer(18410)) === "hello\n");
    const { State } = await engine.inspect<{ State: { Pid: number } }>(ended);
    const before = forwarders();
    expect(before).toHaveLength(1);
    await daemon.end("SIGKILL");
    process.kill(State.Pid, "SIGKILL");
    expect(await answer(18410)).toBe("hello\n");
    expect(await answer(18410, daemon.netns.address)).toBe("hello\n");
    await daemon.start();
    expect(await answer(18410)).toBe("hello\n");
    await daemon.end("SIGTERM");
    expect(await answer(18410)).toBe("hello\n");
    await daemon.start();
    expect(forwarders()).toEqual(before);
    const next = await published("18411", { Cmd: ["sleep", "1000"] });
    expect((await engine.call("POST", `/containers/${await created("18410")}/start`)).text).toContain(
      "Bind for 0.0.0.0:18410 failed: port is already allocated",
    );
    for (const id of [kept, ended, next]) await engine.remove(id);
  });

  test("a thousand clients that disconnect in every way leave no descriptor, and do not come to the daemon", async () => {
    const id = await published("18412", { Cmd: SERVING });
    await until("an answer", async () => (await answer(18412)) === "hello\n");
    const before = descriptors();
    let pings = 0;
    const flood = must(daemon.netns.inside([process.execPath, "-e", FLOOD, "18412"]));
    let flooding = true;
    void flood.finally(() => (flooding = false)).catch(() => {});
    while (flooding) {
      await engine.must(200, "GET", "/_ping");
      pings += 1;
    }
    await flood;
    expect(pings).toBeGreaterThan(10);
    expect(await answer(18412)).toBe("hello\n");
    // The kernel gives up a connection that the server had no room for after about a minute.
    await until("the descriptors to be closed", () => descriptors() <= before, { timeoutMs: 150_000 });
    await engine.remove(id);
  }, 240_000);

  test("open connections end with their container", async () => {
    const id = await published("18413", { Cmd: SERVING });
    await until("an answer", async () => (await answer(18413)) === "hello\n");
    const waiting = run(daemon.netns.inside([process.execPath, "-e", WAIT, "18413"]));
    // Two sockets of the connection, and the listening one.
    await until("the connection", async () => (await sockets(18413)).includes("ESTAB"));
    await engine.remove(id);
    expect((await waiting).stdout).toMatch(/^closed/);
    expect(await sockets(18413)).not.toMatch(/LISTEN|ESTAB/);
  });

  test("a machine without IPv6 publishes on IPv4 only; if IPv6 is switched off, the rest continues", async () => {
    const before = await published("18414", { Cmd: ["sleep", "1000"] });
    await daemon.end("SIGTERM");
    await must(daemon.netns.inside(["sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1"]));
    await daemon.start();
    try {
      expect((await engine.inspect<{ State: { Running: boolean } }>(before)).State.Running).toBe(true);
      const id = await published("18415", { Cmd: ["sleep", "1000"] });
      const [item] = await engine.read<{ Ports: Json[] }[]>(`/containers/json?filters={"id":["${id}"]}`);
      expect(item?.Ports).toEqual([{ IP: "0.0.0.0", PrivatePort: 80, PublicPort: 18415, Type: "tcp" }]);
      for (const one of [before, id]) await engine.remove(one);
    } finally {
      await daemon.end("SIGTERM");
      await must(daemon.netns.inside(["sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=0"]));
      await daemon.start();
    }
  });

  async function created(port: string, config: Json = {}): Promise<string> {
    const HostConfig = { PortBindings: { "80/tcp": [{ HostPort: port }] } };
    return engine.create({ ...config, ExposedPorts: { "80/tcp": {} }, HostConfig });
  }

  async function published(port: string, config: Json): Promise<string> {
    const id = await created(port, config);
    await engine.start(id);
    return id;
  }

  /** The answer of a server at an address of the machine, usually [::1]; empty if there is none. */
  async function answer(port: number, address = "::1"): Promise<string> {
    return (await run(daemon.netns.inside([process.execPath, "-e", ASK, String(port), address]))).stdout;
  }

  async function sockets(port: number): Promise<string> {
    return must(daemon.netns.inside(["ss", "-H", "-6", "-tan", `sport = :${port}`]));
  }

  function descriptors(): number {
    return readdirSync(`/proc/${forwarders()[0]}/fd`).length;
  }

  /** The processes that forward ports of this daemon. */
  function forwarders(): number[] {
    return findProcesses("ports.cjs", daemon.directories.root);
  }
});

const SERVING = ["sh", "-c", "mkdir /www; echo hello > /www/index.html; exec httpd -f -p 80 -h /www"];

const ASK = `
  const socket = require("net").connect({ host: process.argv[2], port: Number(process.argv[1]) }, () => socket.end("GET / HTTP/1.0\\r\\n\\r\\n"));
  let text = "";
  socket.on("error", () => {}).on("data", (bytes) => (text += bytes));
  socket.on("close", () => process.stdout.write(text.split("\\r\\n\\r\\n")[1] ?? ""));
`;

/**
 * Two hundred times five concurrent connections, within the server's backlog: read to the end, dropped during an
 * answer, reset, and silent.
 */
const FLOOD = `
  const net = require("net");
  const one = (at) => new Promise((resolve) => {
    const socket = net.connect({ host: "::1", port: Number(process.argv[1]) }, () => {
      if (at % 4 === 0) socket.end("some words").resume();
      else if (at % 4 === 1) socket.write("x".repeat(100000), () => socket.destroy());
      else if (at % 4 === 2) socket.resetAndDestroy();
      else socket.destroy();
    });
    socket.on("error", () => {}).on("close", resolve);
  });
  (async () => {
    for (let round = 0; round < 200; round++) await Promise.all(Array.from({ length: 5 }, (_, at) => one(round + at)));
  })();
`;

const WAIT = `
  const socket = require("net").connect({ host: "::1", port: Number(process.argv[1]) });
  socket.on("error", () => {}).on("close", () => console.log("closed"));
`;
