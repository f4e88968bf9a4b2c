// Published UDP ports, on IPv4 and IPv6: each client gets its own answers from the container.
import { spawn } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run, until } from "../support/commands.js";
import type { DaemonProcess } from "../support/daemon-process.js";
import { EngineClient } from "../support/engine-client.js";
import { missingLinux, startCoracle } from "../support/engines.js";
import { describeUnless } from "../support/on-engines.js";

const missing = missingLinux();

describeUnless(missing, "published datagrams", () => {
  let daemon: DaemonProcess;
  let engine: EngineClient;
  beforeAll(async () => {
    daemon = await startCoracle();
    engine = new EngineClient(daemon.socketPath);
  });
  afterAll(async () => daemon?.close());

  test("of both families, at an address of the machine and at the loopback addresses", async () => {
    const { id, end } = await echoing({ HostPort: "18420" });
    for (const address of ["127.0.0.1", daemon.netns.address, "::1"]) {
      const text = await until(`an answer from ${address}`, async () => (await ask(address, 18420)) || undefined);
      expect([address, text]).toEqual([address, "back: hello\n"]);
    }
    end();
    await engine.remove(id);
    expect(await ask("::1", 18420)).toBe("");
  });

  test("on one family only", async () => {
    const { id, end } = await echoing({ HostIp: "127.0.0.1", HostPort: "18421" });
    await until("an answer", async () => (await ask("127.0.0.1", 18421)) || undefined);
    expect(await ask("::1", 18421)).toBe("");
    end();
    await engine.remove(id);
  });

  /** A container with a server that answers. */
  async function echoing(binding: { HostIp?: string; HostPort: string }): Promise<{ id: string; end: () => void }> {
    const HostConfig = { PortBindings: { "53/udp": [binding] } };
    const id = await engine.running({ ExposedPorts: { "53/udp": {} }, HostConfig });
    const { State } = await engine.inspect<{ State: { Pid: number } }>(id);
    const echo = spawn("nsenter", [`--net=/proc/${State.Pid}/ns/net`, "--", process.execPath, "-e", ECHO]);
    return { id, end: () => echo.kill("SIGKILL") };
  }

  /** The answer to a datagram within half a second; empty if there is none. */
  async function ask(address: string, port: number): Promise<string> {
    return (await run(daemon.netns.inside([process.execPath, "-e", ASK, address, String(port)]))).stdout;
  }
});

const ECHO = `
  require("dgram").createSocket("udp4").on("message", function (bytes, from) {
    this.send("back: " + bytes, from.port, from.address);
  }).bind(53);
`;

const ASK = `
  const [address, port] = process.argv.slice(1);
  const socket = require("dgram").createSocket(address.includes(":") ? "udp6" : "udp4");
  const end = setTimeout(() => socket.close(), 500);
  socket.on("error", () => {}).on("message", (bytes) => {
    process.stdout.write(bytes);
    clearTimeout(end);
    socket.close();
  });
  socket.send("hello\\n", Number(port), address);
`;
