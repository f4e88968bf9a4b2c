// Containers on several networks with real packets: whom they reach, where the default route leads, and what stays when
// networks come and go.
import { expect, test } from "vitest";
import { until } from "../../support/commands.js";
import type { Json } from "../../support/engine-client.js";
import { missingLinux } from "../../support/engines.js";
import { describeUnless } from "../../support/on-engines.js";
import { NetworkDaemon, on } from "./network-daemon.js";

describeUnless(missingLinux(), "several networks", () => {
  const own = new NetworkDaemon();

  test("a running container reaches a network as soon as it is connected, and no longer once it is not", async () => {
    await own.make("left", "10.221.0");
    await own.make("right", "10.222.0");
    await own.serve("right", SERVERS);
    const id = await own.engine.running(on("left"));
    expect(await inside(id, ASKING("10.222.0.2"))).toBe("");
    await wire("connect", "right", id);
    await until("an answer", async () => (await inside(id, ASKING("10.222.0.2"))) === "hello\n");
    await wire("disconnect", "right", id);
    expect(await inside(id, ASKING("10.222.0.2"))).toBe("");
    expect(await inside(id, "ls -1 /sys/class/net")).toBe("eth0\nlo\n");
  });

  test("the default route leads to the first network by name, and back", async () => {
    await own.make("b-first", "10.221.0");
    await own.make("a-second", "10.222.0");
    await own.make("inner", "10.223.0", { Internal: true });
    const id = await own.engine.running(on("b-first"));
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

  test("the default route leads to the network of the highest priority, also when it changes", async () => {
    await own.make("a-first", "10.221.0");
    await own.make("b-second", "10.222.0");
    await own.make("c-third", "10.223.0");
    const EndpointsConfig = { "a-first": { GwPriority: -1 } };
    const body = { Image: "busybox", Cmd: ["sleep", "1000"], ...on("a-first"), NetworkingConfig: { EndpointsConfig } };
    const { Id: id } = (await own.engine.must(201, "POST", "/containers/create", body, { version: "1.48" })).json<{
      Id: string;
    }>();
    await own.engine.start(id);
    await wire("connect", "b-second", id);
    const route = (): Promise<string> => inside(id, "ip route | grep ^default");
    expect(await route()).toContain("via 10.222.0.1 ");
    await wire("connect", "c-third", id, { GwPriority: 7 });
    expect(await route()).toContain("via 10.223.0.1 ");
    await own.engine.must(204, "POST", `/containers/${id}/restart?t=0`);
    expect(await route()).toContain("via 10.223.0.1 ");
    await wire("disconnect", "c-third", id);
    expect(await route()).toContain("via 10.222.0.1 ");
    await wire("disconnect", "b-second", id);
    expect(await route()).toContain("via 10.221.0.1 ");
  });

  test("connections on other networks outlive a connection and a disconnection, and an answer comes by every port", async () => {
    await own.make("b-first", "10.221.0");
    await own.make("a-second", "10.222.0");
    const server = await own.serve("b-first", SERVERS, "18610");
    const client = await own.engine.running({ ...on("b-first"), OpenStdin: true, Cmd: ["sh", "-c", LONG_CLIENT] });
    await until("the first word", async () => (await own.engine.logs(client)).stdout === "1\n");
    await wire("connect", "a-second", server);
    await until("an answer", async () => (await own.answer(own.daemon.netns.address, "18610")) === "hello\n");
    await wire("disconnect", "a-second", server);
    await until("an answer", async () => (await own.answer("127.0.0.1", "18610")) === "hello\n");
    // At once with its content: the server looks for the file all the time.
    await inside(server, "echo more > /new && mv /new /told");
    await until("the second word", async () => (await own.engine.logs(client)).stdout === "1\nmore\n");
  });

  test("a container that runs without networks is connected, and so it is after the engine was killed", async () => {
    await own.make("late", "10.221.0");
    const id = await own.engine.running(on("none"));
    await wire("disconnect", "none", id);
    await wire("connect", "late", id);
    await own.daemon.end("SIGKILL");
    await own.daemon.start();
    expect(await inside(id, "ip route | grep ^default")).toContain("via 10.221.0.1 dev eth0");
    await wire("disconnect", "late", id);
    expect(await inside(id, "ls -1 /sys/class/net")).toBe("lo\n");
    await wire("connect", "late", id);
    expect(await inside(id, "ip route | grep ^default")).toContain("via 10.221.0.1 dev eth0");
  });

  async function wire(
    what: "connect" | "disconnect",
    network: string,
    Container: string,
    EndpointConfig?: Json,
  ): Promise<void> {
    await own.engine.must(
      200,
      "POST",
      `/networks/${network}/${what}`,
      { Container, EndpointConfig },
      { version: "1.48" },
    );
  }

  /** What a command in a container prints. */
  async function inside(container: string, command: string): Promise<string> {
    const exec = { Cmd: ["sh", "-c", command], AttachStdout: true, Tty: true };
    const { Id } = (await own.engine.must(201, "POST", `/containers/${container}/exec`, exec)).json<{ Id: string }>();
    return (await own.engine.must(200, "POST", `/exec/${Id}/start`, { Tty: true })).text.replaceAll("\r", "");
  }
});

/** A web server, and one that tells a word at once and another later. */
const SERVERS =
  "mkdir /www; echo hello > /www/index.html; httpd -p 80 -h /www; " +
  "(echo 1; until [ -e /told ]; do sleep 0.1; done; cat /told) | nc -l -p 90; sleep 1000";
const LONG_CLIENT = "until nc 10.221.0.2 90; do sleep 0.1; done; sleep 1000";
/** Not wget: that of a static busybox crashes when it looks up an address. */
const ASKING = (address: string): string =>
  `printf 'GET / HTTP/1.0\\r\\n\\r\\n' | nc -w 2 ${address} 80 2>/dev/null | tail -n 1`;
