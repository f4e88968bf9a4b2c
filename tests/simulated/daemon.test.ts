// `coracle daemon --simulated` as its users start it: without root, on their own socket.

import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { EngineClient } from "../support/engine-client.js";
import { CORACLE } from "../support/engines.js";

/** `nobody`, as most systems number it. */
const NOBODY = 65534;

describe("coracle daemon --simulated", () => {
  let root = "";
  let running: Started[] = [];

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "coracle-simulated-"));
    chmodSync(root, 0o777);
    running = [];
  });
  afterEach(() => {
    for (const one of running) one.child.kill("SIGKILL");
    rmSync(root, { recursive: true, force: true });
  });

  test("runs as any user, prints where it listens, and leaves nothing when it is stopped", async () => {
    const daemon = await start([], { XDG_RUNTIME_DIR: root }, process.getuid?.() === 0 ? NOBODY : null);
    const socket = join(root, "coracle/simulated.sock");
    expect(daemon.output()).toContain(`listens on unix://${socket}\n`);
    expect(daemon.output()).toContain("simulated in this process");
    expect(daemon.output()).toContain(`export DOCKER_HOST=unix://${socket}`);
    const ended = await new EngineClient(socket).run({ Cmd: ["sh", "-c", "echo hello; exit 3"] });
    expect(ended).toMatchObject({ code: 3, stdout: "hello\n" });
    expect(await daemon.end("SIGTERM")).toBe(0);
    expect(() => statSync(socket)).toThrow("ENOENT");
  });

  test("uses a temporary directory if the session has no runtime directory", async () => {
    const uid = process.getuid?.() === 0 ? NOBODY : null;
    const daemon = await start([], { TMPDIR: root, XDG_RUNTIME_DIR: "" }, uid);
    const directory = join(root, `coracle-${uid ?? process.getuid?.()}`);
    expect(daemon.output()).toContain(`unix://${join(directory, "simulated.sock")}`);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(await daemon.end("SIGINT")).toBe(0);
  });

  test("time passes at the given pace", async () => {
    const socket = join(root, "fast.sock");
    await start(["-H", `unix://${socket}`, "--pace", "fast"]);
    const engine = new EngineClient(socket);
    // A day is longer than any test may take.
    expect((await engine.run({ Cmd: ["sleep", "86400"] })).code).toBe(0);
  });

  test.each([
    ["10", 12],
    ["0.01", 2],
  ])("at pace %s ends in time, although there is always something pending", async (pace, containers) => {
    const socket = join(root, "busy.sock");
    const daemon = await start(["-H", `unix://${socket}`, "--pace", pace]);
    const engine = new EngineClient(socket);
    const Healthcheck = { Test: ["CMD", "true"], Interval: 1_000_000 };
    for (let count = 0; count < containers; count++) await engine.running({ Healthcheck });
    expect(await daemon.end("SIGTERM")).toBe(0);
  });

  test("ends properly, even if it is told to reload its configuration meanwhile", async () => {
    const socket = join(root, "told-twice.sock");
    const daemon = await start(["-H", `unix://${socket}`]);
    const follower = request({ socketPath: socket, path: "/events" }).on("error", () => {});
    await new Promise((resolve) => follower.once("response", resolve).end());
    const ended = daemon.end("SIGTERM");
    // From then on it waits for its client.
    await expect.poll(() => existsSync(socket), { interval: 1 }).toBe(false);
    daemon.child.kill("SIGHUP");
    expect(await ended).toBe(0);
  });

  test("continues when there is no room for its log", async () => {
    const socket = join(root, "full.sock");
    const command = [...CORACLE, "daemon", "--simulated", "--log-level", "debug", "-H", `unix://${socket}`];
    const daemon = run(["sh", "-c", 'exec "$@" 2>/dev/full', "sh", ...command], {}, null);
    running.push(daemon);
    await expect.poll(daemon.output).toContain("docker run --rm");
    expect((await new EngineClient(socket).run({ Cmd: ["true"] })).code).toBe(0);
    expect(await daemon.end("SIGTERM")).toBe(0);
  });

  test("a program at a published port learns that its visitor sends no more", async () => {
    const socket = join(root, "visitor.sock");
    await start(["-H", `unix://${socket}`]);
    const engine = new EngineClient(socket);
    const ExposedPorts = { "7/tcp": {} };
    const Cmd = ["nc", "-lk", "-p", "7", "-e", "sh", "-c", "cat; echo over"];
    const id = await engine.running({ Cmd, ExposedPorts, HostConfig: { PublishAllPorts: true } });
    const { NetworkSettings } = await engine.inspect<{ NetworkSettings: { Ports: Ports } }>(id);
    const port = Number(NetworkSettings.Ports["7/tcp"]?.[0]?.HostPort);
    const hosts = existsSync("/proc/net/if_inet6") ? ["127.0.0.1", "::1"] : ["127.0.0.1"];
    for (const host of hosts) await expect.poll(() => heardAt(port, "said ", host).catch(() => "")).toBe("said over\n");
  });

  test("a published UDP port really takes datagrams, and answers each visitor", async () => {
    const socket = join(root, "datagrams.sock");
    await start(["-H", `unix://${socket}`]);
    const engine = new EngineClient(socket);
    const ExposedPorts = { "7/udp": {} };
    const Cmd = ["nc", "-u", "-lk", "-p", "7", "-e", "cat"];
    const id = await engine.running({ Cmd, ExposedPorts, HostConfig: { PublishAllPorts: true } });
    const { NetworkSettings } = await engine.inspect<{ NetworkSettings: { Ports: Ports } }>(id);
    const port = Number(NetworkSettings.Ports["7/udp"]?.[0]?.HostPort);
    for (const said of ["one", "two"]) expect(await echoed(port, said)).toBe(said);
    if (existsSync("/proc/net/if_inet6")) expect(await echoed(port, "six", "::1")).toBe("six");
    expect((await engine.call("DELETE", `/containers/${id}?force=1`)).status).toBe(204);
    expect(await isBindable(port)).toBe(true);
  });

  test("configured runtimes exist, each once", async () => {
    const socket = join(root, "runtimes.sock");
    await start(["-H", `unix://${socket}`, "--add-runtime", "runc=/bin/runc", "--add-runtime", "kata=/bin/kata"]);
    const { text } = await new EngineClient(socket).call("GET", "/info");
    expect([...text.matchAll(/"(runc|kata)":/g)].map(([, name]) => name)).toEqual(["runc", "kata"]);
  });

  test("equal seeds give equal ids, other seeds give other ids", async () => {
    const ids = [];
    for (const [name, seed] of [
      ["a", "7"],
      ["b", "7"],
      ["c", "8"],
    ] as const) {
      const socket = join(root, `${name}.sock`);
      await start(["-H", `unix://${socket}`, "--seed", seed]);
      ids.push(await new EngineClient(socket).create({ Cmd: ["true"] }));
    }
    expect(ids[0]).toBe(ids[1]);
    expect(ids[2]).not.toBe(ids[0]);
  });

  test("an engine that runs real containers refers users without rights to this one", async ({ skip }) => {
    if (process.getuid?.() !== 0) skip("only root can start it as somebody else");
    const child = run([...CORACLE, "daemon"], {}, NOBODY);
    expect(await child.ended).toBe(1);
    expect(child.output()).toContain("must be run as root");
    expect(child.output()).toContain("coracle daemon --simulated");
  });

  /** Resolves when it has printed its greeting. */
  async function start(flags: string[], env: Record<string, string> = {}, uid: number | null = null): Promise<Started> {
    const daemon = run([...CORACLE, "daemon", "--simulated", ...flags], env, uid);
    running.push(daemon);
    await expect.poll(daemon.output).toContain("docker run --rm");
    return daemon;
  }
});

type Ports = Record<string, { HostPort: string }[] | null>;

/** Says it, sends no more, and resolves to all that comes back. */
async function heardAt(port: number, said: string, host: string): Promise<string> {
  const visitor = connect({ host, port, allowHalfOpen: true });
  visitor.end(said);
  return (await visitor.toArray()).join("");
}

/** What comes back of a datagram, which is sent until it does: the program begins to listen a little after the start. */
async function echoed(port: number, said: string, host = "127.0.0.1"): Promise<string> {
  const visitor = createSocket(host.includes(":") ? "udp6" : "udp4");
  const sending = setInterval(() => visitor.send(said, port, host), 50);
  const [bytes] = (await once(visitor, "message")) as [Buffer];
  clearInterval(sending);
  visitor.close();
  return bytes.toString();
}

async function isBindable(port: number): Promise<boolean> {
  const socket = createSocket("udp4");
  socket.bind({ port, address: "127.0.0.1", exclusive: true });
  await once(socket, "listening");
  socket.close();
  return true;
}

interface Started {
  child: ChildProcess;
  ended: Promise<number | null>;
  output(): string;
  end(signal: NodeJS.Signals): Promise<number | null>;
}

function run([program = "", ...args]: readonly string[], env: Record<string, string>, uid: number | null): Started {
  const user = uid === null ? {} : { uid, gid: uid };
  const child = spawn(program, args, { env: { ...process.env, ...env }, cwd: "/", ...user });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes: Buffer) => (output += bytes.toString()));
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const end = (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    return ended;
  };
  return { child, ended, output: () => output, end };
}
