// A daemon for tests of user-defined networks with real packets. After each test, its containers and networks are gone.

import { afterAll, afterEach, beforeAll } from "vitest";
import { run } from "../../support/commands.js";
import type { DaemonProcess } from "../../support/daemon-process.js";
import { EngineClient, type Json } from "../../support/engine-client.js";
import { startCoracle } from "../../support/engines.js";
import type { Netns } from "../../support/netns.js";

/** It runs once the tests of the block do. */
export class NetworkDaemon {
  daemon!: DaemonProcess;
  engine!: EngineClient;

  constructor() {
    beforeAll(async () => {
      this.daemon = await startCoracle();
      this.engine = new EngineClient(this.daemon.socketPath);
    });
    afterAll(async () => this.daemon?.close());
    afterEach(async () => {
      const all = await this.engine.read<{ Id: string }[]>("/containers/json?all=1");
      for (const { Id } of all) await this.engine.remove(Id);
      await this.engine.must(200, "POST", "/networks/prune");
    });
  }

  /** `net`: the first three numbers of its addresses. */
  async make(name: string, net: string, more: Json = {}): Promise<void> {
    const body = { Name: name, IPAM: { Config: [{ Subnet: `${net}.0/24` }] }, ...more };
    await this.engine.must(201, "POST", "/networks/create", body);
  }

  /** A container that serves with this shell command; its port 80 is published if a port of the machine is given. */
  async serve(network: string, command: string, port?: string): Promise<string> {
    const PortBindings = port === undefined ? {} : { "80/tcp": [{ HostPort: port }] };
    const HostConfig = { NetworkMode: network, PortBindings };
    const Cmd = ["sh", "-c", command];
    const id = await this.engine.create({ HostConfig, ExposedPorts: { "80/tcp": {} }, Cmd });
    await this.engine.start(id);
    return id;
  }

  /** What a web server answers to the machine, or to another one; empty if nobody answers in this time. */
  async answer(
    address: string,
    port: string,
    path = "/",
    { asking = this.daemon.netns, seconds = 2 }: { asking?: Netns; seconds?: number } = {},
  ): Promise<string> {
    const ask = [process.execPath, "-e", ASK, `http://${address}:${port}${path}`, String(seconds * 1000)];
    return (await run(asking.inside(ask))).stdout;
  }
}

export function on(NetworkMode: string): Json {
  return { HostConfig: { NetworkMode } };
}

/**
 * A program for `node -e` that prints what a web server answers, or nothing. Arguments: URL, and for how many milliseconds
 * it waits. With fetch, which Node loads first, it would take four times the processor time. As fetch does, it takes heads
 * of answers that end with a line feed alone: those of programs behind busybox's httpd do.
 */
export const ASK = `
  const signal = AbortSignal.timeout(Number(process.argv[2]));
  const options = { agent: false, insecureHTTPParser: true, signal };
  const asked = require("node:http").get(process.argv[1], options, (answer) => {
    let text = "";
    answer.setEncoding("utf8").on("data", (part) => (text += part)).on("error", () => {});
    answer.on("end", () => process.stdout.write(text));
  });
  asked.on("error", () => {});
`;
