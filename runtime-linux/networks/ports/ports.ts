// Ports of the machine that containers have published. Firewall rules (`port-elements.ts`) forward the packets without a socket.
// Still, a bound socket holds each port, so that no other program can take it unnoticed. Traffic over IPv6 to a container
// that has only IPv4 is received by a program and forwarded to its IPv4 address. So is all traffic if the network has no
// rules. Where no program shall forward anything, ports of IPv6 are only held, too.

import { closeSync } from "node:fs";
import { HostFailure, malformed, refusedPort } from "../../../hosts/shared/index.js";
import type { networks } from "../../../hosts/shared/index.js";
import type { Kernel } from "../../kernel.js";
import { addressBytes, isIpv6 } from "../addresses.js";
import type { Forward } from "../forward/forward-files.js";
import type { Forwards } from "../forward/forwards.js";

type PortMapping = networks.PortMapping;

/** The container's addresses and ports, and how its network serves them. An earlier version did not write the latter. */
interface Target extends Pick<networks.Join, "address" | "ipv6Address" | "ports"> {
  bridge: Partial<Pick<networks.Bridge, "firewall" | "proxies">>;
}

/** What ends to hold a port. */
type Release = () => void;

/** The ports held by this process, and those that another one forwards for it. */
export class HeldPorts {
  readonly #held = new Map<string, Release[]>();
  /** Published ports for sctp, which no socket holds. */
  readonly #sctp = new Set<PortMapping>();

  constructor(
    private readonly kernel: Kernel,
    private readonly forwards: Forwards,
  ) {}

  /** Takes all of the ports for `holder`, or none. Throws `port` for one that is not available. */
  async take(holder: string, target: Target): Promise<void> {
    this.hold(holder, target);
    try {
      await this.forward(holder, target);
    } catch (error) {
      await this.release(holder);
      throw error;
    }
  }

  /** The first part of `take`: those that no program forwards. Takes none if one is not available. */
  hold(holder: string, target: Target): void {
    const held: Release[] = [];
    this.#held.set(holder, held);
    try {
      for (const port of target.ports) held.push(this.#hold(port, target));
    } catch (error) {
      this.#letGo(holder);
      throw error;
    }
  }

  /** The second part. Throws `port` if one cannot be had; the others are forwarded all the same. */
  async forward(holder: string, target: Target): Promise<void> {
    const ports = target.ports.filter((port) => isForwarded(port, target));
    const forwards = ports.map((port) => forwardOf(port, target));
    const [first] = await this.forwards.serve(holder, forwards);
    if (first === undefined) return;
    const port = ports[first.at]!;
    throw refusalOf({ code: first.errno }, port);
  }

  /**
   * Takes the ports that are available. If another program has taken one meanwhile, it is no longer ours. Never rejects:
   * containers run on without a port, and the engine has to start.
   */
  async takeAgain(holder: string, target: Target): Promise<void> {
    const held: Release[] = [];
    this.#held.set(holder, held);
    for (const port of target.ports) {
      try {
        held.push(this.#hold(port, target));
      } catch (error) {
        tellOther(error);
      }
    }
    await this.forward(holder, target).catch(tellOther);
  }

  async release(holder: string): Promise<void> {
    this.#letGo(holder);
    await this.forwards.serve(holder, []);
  }

  /** Only of what this process holds: what others forward goes on. */
  releaseOwn(): void {
    for (const holder of [...this.#held.keys()]) this.#letGo(holder);
  }

  #letGo(holder: string): void {
    for (const release of this.#held.get(holder) ?? []) release();
    this.#held.delete(holder);
  }

  #hold(port: PortMapping, target: Target): Release {
    const { protocol, hostAddress, hostPort } = port;
    if (protocol !== "tcp" && protocol !== "udp" && protocol !== "sctp") throw malformed("protocol", protocol);
    // The container is reached at its own address, or another process holds the port.
    if (hostPort === 0 || isForwarded(port, target)) return () => {};
    if (protocol === "sctp") {
      const { proxies = true } = target.bridge;
      const isLost = isIpv6(hostAddress) && proxies && target.ipv6Address === "";
      if (isLost) throw refusedPort(port, "EPROTONOSUPPORT");
      return this.#takeSctp(port);
    }
    try {
      const socket = this.kernel.bindPort(protocol, addressBytes(hostAddress), hostPort);
      return () => closeSync(socket);
    } catch (error) {
      throw refusalOf(error, port);
    }
  }

  /** A socket for sctp would make the kernel load a module, so other programs are not asked. */
  #takeSctp(port: PortMapping): Release {
    const { hostAddress, hostPort } = port;
    const others = [...this.#sctp].filter((other) => other.hostPort === hostPort);
    if (others.some((other) => overlap(other.hostAddress, hostAddress))) throw refusedPort(port, "EADDRINUSE");
    this.#sctp.add(port);
    return () => void this.#sctp.delete(port);
  }
}

/**
 * What arrives at an IPv6 address is forwarded to a container without IPv6. If the container has it, the kernel does that
 * (see `port-elements.ts`), except for what the machine sends to ::1: the kernel takes no answers to that address from
 * elsewhere. No program forwards sctp.
 */
function isForwarded({ protocol, hostAddress, hostPort }: PortMapping, { bridge }: Target): boolean {
  const { firewall = true, proxies = true } = bridge;
  const isServed = firewall && !isIpv6(hostAddress);
  return hostPort !== 0 && !isServed && proxies && protocol !== "sctp";
}

function forwardOf(port: PortMapping, { address, ipv6Address }: Target): Forward {
  return {
    protocol: port.protocol === "tcp" ? "tcp" : "udp",
    from: { address: port.hostAddress, port: port.hostPort },
    to: { address: ipv6Address === "" ? address : ipv6Address, port: port.containerPort },
  };
}

/** A refused port is no news: it is not published. */
function tellOther(error: unknown): void {
  const isRefusal = error instanceof HostFailure && error.failure.tag === "port";
  if (!isRefusal) console.error(`published ports: ${String(error)}`);
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
  if (REFUSALS.includes(code)) return refusedPort(port, code);
  if (code === "") return error;
  const path = `${port.hostAddress} ${port.hostPort}`;
  return new HostFailure({ tag: "call", val: { call: "bind", path, inside: false, error: code } });
}

const REFUSALS: readonly string[] = ["EADDRINUSE", "EADDRNOTAVAIL", "EAFNOSUPPORT"];
