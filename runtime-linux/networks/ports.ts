// Ports of the machine that containers have published. Firewall rules (`published.ts`) forward the packets without a socket.
// Still, a bound socket holds each port, so that no other program can take it unnoticed. Traffic over IPv6 to a container
// that has only IPv4 is received here and forwarded to its IPv4 address. So is all traffic if the network has no rules.
// Where no program shall forward anything, ports of IPv6 are only held, too.

import { closeSync } from "node:fs";
import { HostFailure, malformed, refusedPort } from "../../hosts/shared/index.js";
import type { networks } from "../../hosts/shared/index.js";
import type { Kernel } from "../kernel.js";
import { addressBytes, isIpv6 } from "./addresses.js";
import { forwardDatagrams } from "./forward-datagrams.js";
import { forwardStreams } from "./forward-streams.js";
import { roomOfProcess, type Forwarder } from "./forwarder.js";

type PortMapping = networks.PortMapping;

/** The container's addresses and ports, and how its network serves them. An earlier version did not write the latter. */
interface Target extends Pick<networks.Join, "address" | "ipv6Address" | "ports"> {
  bridge: Partial<Pick<networks.Bridge, "firewall" | "proxies">>;
}

/** The ports held by this process. */
export class HeldPorts {
  readonly #held = new Map<string, Forwarder[]>();
  readonly #room = roomOfProcess();
  /** Published ports for sctp, which no socket holds. */
  readonly #sctp = new Set<PortMapping>();

  constructor(private readonly kernel: Kernel) {}

  /** Takes all of the ports for `holder`, or none. Throws `port` for the first that is not available. */
  async take(holder: string, target: Target): Promise<void> {
    const held: Forwarder[] = [];
    this.#held.set(holder, held);
    try {
      for (const port of target.ports) await this.#hold(holder, held, port, target);
    } catch (error) {
      this.release(holder);
      throw error;
    }
  }

  /** Takes the ports that are available. If another program has taken one meanwhile, it is no longer ours. */
  async takeAgain(holder: string, target: Target): Promise<void> {
    const held: Forwarder[] = [];
    this.#held.set(holder, held);
    for (const port of target.ports) {
      await this.#hold(holder, held, port, target).catch((error: unknown) => {
        if (!(error instanceof HostFailure)) throw error;
      });
    }
  }

  release(holder: string): void {
    for (const port of this.#held.get(holder) ?? []) port.close();
    this.#held.delete(holder);
  }

  releaseAll(): void {
    for (const holder of [...this.#held.keys()]) this.release(holder);
  }

  async #hold(holder: string, held: Forwarder[], port: PortMapping, target: Target): Promise<void> {
    const taken = await this.#listen(port, target).catch((error: unknown) => {
      throw refusalOf(error, port);
    });
    // If the holder was released meanwhile, all its ports are closed.
    if (this.#held.get(holder) === held) held.push(taken);
    else taken.close();
  }

  /**
   * What arrives at an IPv6 address is forwarded from here to a container without IPv6. If the container has it, the
   * kernel does that (see `published.ts`), except for what the machine sends to ::1: the kernel takes no answers to that
   * address from elsewhere.
   */
  async #listen(port: PortMapping, { address, ipv6Address, bridge }: Target): Promise<Forwarder> {
    const { firewall = true, proxies = true } = bridge;
    const { protocol, hostAddress, hostPort, containerPort } = port;
    if (protocol !== "tcp" && protocol !== "udp" && protocol !== "sctp") {
      throw malformed("protocol", protocol);
    }
    // The container is reached at its own address.
    if (hostPort === 0) return { close: () => {} };
    const isServed = firewall && !isIpv6(hostAddress);
    if (!isServed && proxies && (isIpv6(hostAddress) || protocol !== "sctp")) {
      // sctp is not forwarded from IPv6 to IPv4.
      if (protocol === "sctp" && ipv6Address === "") throw refusedPort(port, "EPROTONOSUPPORT");
      if (protocol === "sctp") return this.#takeSctp(port);
      const forward = protocol === "tcp" ? forwardStreams : forwardDatagrams;
      const to = { address: ipv6Address === "" ? address : ipv6Address, port: containerPort };
      return forward({ address: hostAddress, port: hostPort }, to, this.#room);
    }
    const host = addressBytes(hostAddress);
    if (protocol === "sctp") return this.#takeSctp(port);
    const socket = this.kernel.bindPort(protocol, host, hostPort);
    return { close: () => closeSync(socket) };
  }

  /** A socket for sctp would make the kernel load a module, so other programs are not asked. */
  #takeSctp(port: PortMapping): Forwarder {
    const { hostAddress, hostPort } = port;
    const others = [...this.#sctp].filter((other) => other.hostPort === hostPort);
    if (others.some((other) => overlap(other.hostAddress, hostAddress))) throw refusedPort(port, "EADDRINUSE");
    this.#sctp.add(port);
    return { close: () => void this.#sctp.delete(port) };
  }
}

/** All addresses of a family include each of them. */
function overlap(one: string, other: string): boolean {
  return isIpv6(one) === isIpv6(other) && (one === other || isEvery(one) || isEvery(other));
}

function isEvery(address: string): boolean {
  return address === "0.0.0.0" || address === "::";
}

/** The failure for an errno that says why a port is not available. EAFNOSUPPORT: the machine has no IPv6. */
function refusalOf(error: unknown, port: PortMapping): unknown {
  const { code = "" } = error as NodeJS.ErrnoException;
  return REFUSALS.includes(code) ? refusedPort(port, code) : error;
}

const REFUSALS: readonly string[] = ["EADDRINUSE", "EADDRNOTAVAIL", "EAFNOSUPPORT"];
