// Published ports of SCTP with real packets, which the kernel leads to a container. The packets come from raw sockets
// (`sctp.py`): a kernel without SCTP still translates its ports.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import { findProgram, must, run } from "../../support/commands.js";
import type { Json } from "../../support/engine-client.js";
import { missingLinux } from "../../support/engines.js";
import { openNetns, type Netns } from "../../support/netns.js";
import { describeUnless } from "../../support/on-engines.js";
import { NetworkDaemon } from "./network-daemon.js";

const PROGRAM = fileURLToPath(new URL("./sctp.py", import.meta.url));
const python = findProgram("python3");
const withoutIpv6 = existsSync("/proc/net/if_inet6") ? null : "the kernel has no IPv6";
const missing = missingLinux() ?? (python === null ? "python3 is not installed" : withoutIpv6);

describeUnless(missing, "published ports of SCTP", () => {
  const own = new NetworkDaemon();
  const servers: ChildProcess[] = [];
  const machines: Netns[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) server.kill("SIGKILL");
    for (const machine of machines.splice(0)) await machine.close();
  });

  test("lead from another machine, the machine itself and a neighbour to the container, until it ends", async () => {
    await own.make("both", "10.242.0", { EnableIPv6: true, IPAM: { Config: SUBNETS } });
    const [id, neighbour] = [await published("18590"), await own.engine.running(ON_BOTH)];
    const [serving, outside] = [await serve(id), await anotherMachine()];
    for (const address of [FOURTH, SIXTH]) expect(await asks(outside, address)).toBe(`${address} 18590\n`);
    expect(serving()).toEqual(["10.98.0.2", "fd00:98::2"]);
    for (const address of ["127.0.0.1", FOURTH])
      expect(await asks(own.daemon.netns, address)).toBe(`${address} 18590\n`);
    expect(await asksFrom(neighbour, FOURTH)).toBe(`${FOURTH} 18590\n`);
    // A container that asks for its own port is answered by itself, under the gateway's address.
    expect(await asksFrom(id, FOURTH)).toBe(`${FOURTH} 18590\n`);
    expect(serving().slice(2)).toEqual(["10.242.0.1", FOURTH, "10.242.0.1", "10.242.0.1"]);
    await own.engine.remove(id);
    for (const address of [FOURTH, SIXTH]) expect(await asks(outside, address)).toBe("");
  });

  test("lead there while the engine is dead, and a port that is not published leads nowhere", async () => {
    await own.make("both", "10.242.0", { EnableIPv6: true, IPAM: { Config: SUBNETS } });
    const id = await published("18590");
    await serve(id);
    const outside = await anotherMachine();
    await own.daemon.end("SIGKILL");
    expect(await asks(outside, FOURTH)).toBe(`${FOURTH} 18590\n`);
    await must(outside.inside(["ip", "route", "add", "10.242.0.0/24", "via", FOURTH]));
    expect(await asks(outside, "10.242.0.2", "80")).toBe("");
    await own.daemon.start();
    expect(await asks(outside, SIXTH)).toBe(`${SIXTH} 18590\n`);
  });

  /** Its port 80 is published. */
  async function published(port: string): Promise<string> {
    const PortBindings = { "80/sctp": [{ HostPort: port }] };
    return own.engine.running({ HostConfig: { NetworkMode: "both", PortBindings } });
  }

  /** Answers in the container's network namespace. Returns who has asked so far. */
  async function serve(container: string): Promise<() => string[]> {
    const [program, ...args] = insideOf(container, [python!, PROGRAM, "serve", "80"]);
    const server = spawn(program!, args, { stdio: ["ignore", "pipe", "inherit"] });
    servers.push(server);
    let said = "";
    server.stdout!.setEncoding("utf8").on("data", (text: string) => (said += text));
    await once(server.stdout!, "data");
    return () => said.split("\n").slice(1, -1);
  }

  /** Who has answered; empty if nobody does. */
  async function asks(from: Netns, address: string, port = "18590"): Promise<string> {
    return (await run(from.inside([python!, PROGRAM, "ask", address, port]))).stdout;
  }

  async function asksFrom(container: string, address: string): Promise<string> {
    return (await run(insideOf(container, [python!, PROGRAM, "ask", address, "18590"]))).stdout;
  }

  function insideOf(container: string, command: string[]): string[] {
    const namespace = join(own.daemon.directories.execRoot, "networks", "ns", container);
    return own.daemon.netns.inside(["nsenter", `--net=${namespace}`, ...command]);
  }

  /** 10.98.0.2 and fd00:98::2, which reaches the daemon's machine at `FOURTH` and `SIXTH`. */
  async function anotherMachine(): Promise<Netns> {
    const there = await openNetns();
    machines.push(there);
    const batch = [
      `link add out0 type veth peer name in0 netns ${own.daemon.netns.name}`,
      "addr add 10.98.0.2/24 dev out0",
      "addr add fd00:98::2/64 dev out0 nodad",
      "link set out0 up",
    ];
    await must(there.inside(["ip", "-batch", "-"]), { input: `${batch.join("\n")}\n` });
    const here = [`addr add ${FOURTH}/24 dev in0`, `addr add ${SIXTH}/64 dev in0 nodad`, "link set in0 up"];
    await must(own.daemon.netns.inside(["ip", "-batch", "-"]), { input: `${here.join("\n")}\n` });
    return there;
  }
});

/** Of the daemon's machine. */
const [FOURTH, SIXTH] = ["10.98.0.1", "fd00:98::1"];
const SUBNETS: Json[] = [{ Subnet: "10.242.0.0/24" }, { Subnet: "fd00:242::/64" }];
const ON_BOTH = { HostConfig: { NetworkMode: "both" } };
