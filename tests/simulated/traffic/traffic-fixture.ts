// An engine on a simulated machine whose time runs as fast as possible, and scripts in its containers.

import type { Engine } from "../../../hosts/embedding/engine.js";
import { openEngine } from "../../../hosts/embedding/open.js";
import { simulatedHost, type SimulatedHost, type SimulatedOptions } from "../../../hosts/simulated/index.js";

type Json = Record<string, unknown>;

export class TrafficWorld {
  constructor(
    readonly host: SimulatedHost,
    readonly engine: Engine,
  ) {}

  static async open(options: SimulatedOptions = {}): Promise<TrafficWorld> {
    const host = simulatedHost({ pace: "fast", ...options });
    return new TrafficWorld(host, await openEngine({ host }));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.engine.close();
  }

  /** Sends a request that must succeed. Resolves to its JSON, or null if it has none. */
  async send(method: string, path: string, body?: Json): Promise<Json | null> {
    const headers = { "content-type": "application/json" };
    const response = await this.engine.fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return method === "GET" || text.endsWith("}\n") ? (JSON.parse(text.split("\n")[0]!) as Json) : null;
  }

  async network(name: string, more: Json = {}): Promise<void> {
    await this.send("POST", "/networks/create", { Name: name, ...more });
  }

  /** Creates and starts a container that runs a script. */
  async start(name: string, script: string, network = "default", more: Json = {}): Promise<void> {
    const { Image = "busybox", ...config } = more;
    const HostConfig = { NetworkMode: network, ...(more["HostConfig"] as Json | undefined) };
    const Cmd = script === "" ? {} : { Cmd: ["sh", "-c", script] };
    await this.send("POST", `/containers/create?name=${name}`, { ...config, Image, ...Cmd, HostConfig });
    await this.send("POST", `/containers/${name}/start`);
  }

  /** Runs a script in a new container to its end, and removes it. Resolves to its output, errors included, and code. */
  async run(script: string, network = "default", more: Json = {}): Promise<{ output: string; code: number }> {
    await this.start("probe", script, network, { Tty: true, ...more });
    const { StatusCode } = (await this.send("POST", "/containers/probe/wait")) as { StatusCode: number };
    const log = await this.engine.fetch("/containers/probe/logs?stdout=1&stderr=1");
    const output = (await log.text()).replaceAll("\r\n", "\n");
    await this.send("DELETE", "/containers/probe?v=1");
    return { output, code: StatusCode };
  }

  async addressOf(name: string, network: string): Promise<string> {
    const inspected = (await this.send("GET", `/containers/${name}/json`)) as {
      NetworkSettings: { Networks: Record<string, { IPAddress: string }> };
    };
    return inspected.NetworkSettings.Networks[network]!.IPAddress;
  }
}
