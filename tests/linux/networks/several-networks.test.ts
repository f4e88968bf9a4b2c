// Containers on several networks with real packets: whom they reach, where the default route leads, and what stays when
// networks come and go.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { run, until } from "../../support/commands.js";
import type { DaemonProcess } from "../../support/daemon-process.js";
import { EngineClient, type Json } from "../../support/engine-client.js";
import { missingLinux, startCoracle } from "../../support/engines.js";
import { describeUnless } from "../../support/on-engines.js";

describeUnless(missingLinux(), "several networks", () => {
  let daemon: DaemonProcess;
  let engine: EngineClient;
  beforeAll(async () => {
    daemon = await startCoracle();
    engine = new EngineClient(daemon.socketPath);
  });
  afterAll(async () => daemon?.close());
  afterEach(async () => {
    for (const { Id } of await engine.read<{ Id: string }[]>("/containers/json?all=1")) await engine.remove(Id);
    await engine.must(200, "POST", "/networks/prune");
  });

  test("a running container reaches a network as soon as it is connected, and no longer once it is not", async () => {
    await make("left", "10.221.0");
    await make("right", "10.222.0");
    await serve("right");
    const id = await engine.running(on("left"));
    expect(await inside(id, ASKING("10.222.0.2"))).toBe("");
    await wire("connect", "right", id);
    await until("an answer", async () => (await inside(id, ASKING("10.222.0.2"))) === "hello\n");
    await wire("disconnect", "right", id);
    expect(await inside(id, ASKING("10.222.0.2"))).toBe("");
    expect(await inside(id, "ls -1 /sys/class/net")).toBe("eth0\nlo\n");
  });

  test("the default route leads to the first network by name, and back", async () => {
    await make("b-first", "10.221.0");
    await make("a-second", "10.222.0");
    await make("inner", "10.223.0", { Internal: true });
    const id = await engine.running(on("b-first"));
    const route = (): Promise<string> => inside(id, "ip route | grep ^default");
    expect(await route()).toContain("via 10.221.0.1 dev eth0");
    await wire("connect", "inner", id);
    expect(await route()).toContain("via 10.221.0.1 dev eth0");
    await wire("connect", "a-second", id);
    expect(await route()).toContain("via 10.222.0.1 dev eth2");
    await wire("disconnect", "a-second", id);
    expect(await route()).toContain("via 10.221.0.1 dev eth0");
    await wire("disconnect", "b-first", id);
    expect(await route()).toBe("");
  });

  test("connections on other networks outlive a connection and a disconnection, and an answer comes by every port", async () => {
    await make("b-first", "10.221.0");
    await make("a-second", "10.222.0");
    const server = await serve("b-first", "18610");
    const client = await engine.running({ ...on("b-first"), OpenStdin: true, Cmd: ["sh", "-c", LONG_CLIENT] });
    await until("the first word", async () => (await engine.logs(client)).stdout === "1\n");
    await wire("connect", "a-second", server);
    await until("an answer", async () => (await answer(daemon.netns.address, "18610")) === "hello\n");
    await wire("disconnect", "a-second", server);
    await until("an answer", async () => (await answer("127.0.0.1", "18610")) === "hello\n");
    // At once with its content: the server looks for the file all the time.
    await inside(server, "echo more > /new && mv /new /told");
    await until("the second word", async () => (await engine.logs(client)).stdout === "1\nmore\n");
  });

  test("a container that runs without networks is connected, and so it is after the engine was killed", async () => {
    await make("late", "10.221.0");
    const id = await engine.running(on("none"));
    await wire("disconnect", "none", id);
    await wire("connect", "late", id);
    await daemon.end("SIGKILL");
    await daemon.start();
    expect(await inside(id, "ip route | grep ^default")).toContain("via 10.221.0.1 dev eth0");
    await wire("disconnect", "late", id);
    expect(await inside(id, "ls -1 /sys/class/net")).toBe("lo\n");
    await wire("connect", "late", id);
    expect(await inside(id, "ip route | grep ^default")).toContain("via 10.221.0.1 dev eth0");
  });

  async function make(name: string, net: string, more: Json = {}): Promise<void> {
    const body = { Name: name, IPAM: { Config: [{ Subnet: `${net}.0/24` }] }, ...more };
    await engine.must(201, "POST", "/networks/create", body);
  }

  async function wire(what: "connect" | "disconnect", network: string, Container: string): Promise<void> {
    await engine.must(200, "POST", `/networks/${network}/${what}`, { Container });
  }

  function on(NetworkMode: string): Json {
    return { HostConfig: { NetworkMode } };
  }

  /** A web server, and one that tells a word at once and another later. */
  async function serve(network: string, port?: string): Promise<string> {
    const PortBindings = port === undefined ? {} : { "80/tcp": [{ HostPort: port }] };
    const HostConfig = { NetworkMode: network, PortBindings };
    const id = await engine.create({ HostConfig, ExposedPorts: { "80/tcp": {} }, Cmd: ["sh", "-c", SERVERS] });
    await engine.start(id);
    return id;
  }

  /** What a command in a container prints. */
  async function inside(container: string, command: string): Promise<string> {
    const exec = { Cmd: ["sh", "-c", command], AttachStdout: true, Tty: true };
    const { Id } = (await engine.must(201, "POST", `/containers/${container}/exec`, exec)).json<{ Id: string }>();
    return (await engine.must(200, "POST", `/exec/${Id}/start`, { Tty: true })).text.replaceAll("\r", "");
  }

  /** Empty if nobody answers. */
  async function answer(address: string, port: string): Promise<string> {
    const ask = [process.execPath, "-e", ASK, `http://${address}:${port}/`];
    return (await run(daemon.netns.inside(ask))).stdout;
  }
});

const SERVERS =
  "mkdir /www; echo hello > /www/index.html; httpd -p 80 -h /www; " +
  "(echo 1; until [ -e /told ]; do sleep 0.1; done; cat /told) | nc -l -p 90; sleep 1000";
const LONG_CLIENT = "until nc 10.221.0.2 90; do sleep 0.1; done; sleep 1000";
/** Not wget: that of a static busybox crashes when it looks up an address. */
const ASKING = (address: string): string =>
  `printf 'GET / HTTP/1.0\\r\\n\\r\\n' | nc -w 2 ${address} 80 2>/dev/null | tail -n 1`;
const ASK = `
  fetch(process.argv[1], { signal: AbortSignal.timeout(2000) })
    .then(async (answer) => process.stdout.write(await answer.text()))
    .catch(() => {});
`;
