// Ports of the machine that containers have published. On IPv4 packets reach them by the firewall's rules (`rules.ts`),
// not through a socket; yet a bound socket is held for each, so that another program cannot take the port unnoticed.
// Containers have no IPv6: what comes that way is received here, and passed on to their IPv4 address.

import { closeSync } from "node:fs";
import type { networks } from "../../hosts/shared/host.js";
import { HostFailure, malformed, refusedPort } from "../../hosts/shared/failure.js";
import type { Kernel } from "../kernel.js";
import { ipv4, isIpv6 } from "./addresses.js";
import { forwardDatagrams } from "./forward-datagrams.js";
import { forwardStreams } from "./forward-streams.js";
import { roomOfProcess, type Forwarder } from "./forwarder.js";

type PortMapping = networks.PortMapping;

/** Whose ports they are, and where they lead to. */
type Target = Pick<networks.Join, "address" | "ports">;

/** The ports held by this process. */
export class HeldPorts {
  readonly #held = new Map<string, Forwarder[]>();
  readonly #room = roomOfProcess();

  constructor(private readonly kernel: Kernel) {}

  /** Takes all of them for `holder`, or none: throws `port` for the first that cannot be had. */
  async take(holder: string, { address, ports }: Target): Promise<void> {
    const held: Forwarder[] = [];
    this.#held.set(holder, held);
    try {
      for (const port of ports) await this.#hold(holder, held, port, address);
    } catch (error) {
      this.release(holder);
      throw error;
    }
  }

  /** Takes those that can be had: one that another program has meanwhile is not ours any more. */
  async takeAgain(holder: string, { address, ports }: Target): Promise<void> {
    const held: Forwarder[] = [];
    this.#held.set(holder, held);
    for (const port of ports) {
      await this.#hold(holder, held, port, address).catch((error: unknown) => {
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

  async #hold(holder: string, held: Forwarder[], port: PortMapping, address: string): Promise<void> {
    const taken = await this.#listen(port, address).catch((error: unknown) => {
      throw refusalOf(error, port);
    });
    // Released meanwhile, all that it had are closed.
    if (this.#held.get(holder) === held) held.push(taken);
    else taken.close();
  }

  async #listen(port: PortMapping, address: string): Promise<Forwarder> {
    const { protocol, hostAddress, hostPort, containerPort } = port;
    if (protocol !== "tcp" && protocol !== "udp" && protocol !== "sctp") {
      throw malformed("protocol", protocol);
    }
    if (isIpv6(hostAddress)) {
      // None is forwarded from there to IPv4.
      if (protocol === "sctp") throw refusedPort(port, "EPROTONOSUPPORT");
      const forward = protocol === "tcp" ? forwardStreams : forwardDatagrams;
      return forward({ address: hostAddress, port: hostPort }, { address, port: containerPort }, this.#room);
    }
    const host = ipv4(hostAddress);
    // For sctp the kernel would load a module; there the rules alone tell who has the port.
    if (protocol === "sctp") return { close() {} };
    const socket = this.kernel.bindPort(protocol, host, hostPort);
    return { close: () => closeSync(socket) };
  }
}

/** Why a port could not be had, where the kernel's error says it: EAFNOSUPPORT, it has no IPv6. */
function refusalOf(error: unknown, port: PortMapping): unknown {
  const { code = "" } = error as NodeJS.ErrnoException;
  return REFUSALS.includes(code) ? refusedPort(port, code) : error;
}

const REFUSALS: readonly string[] = ["EADDRINUSE", "EADDRNOTAVAIL", "EAFNOSUPPORT"];
