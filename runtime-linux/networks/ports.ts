// Ports of the machine that containers have published. Packets reach them by the firewall's rules (`rules.ts`), not
// through a socket; yet a bound socket is held for each, so that another program cannot take the port unnoticed.

import { closeSync } from "node:fs";
import type { networks } from "../../hosts/host.js";
import { HostFailure } from "../../hosts/failure.js";
import type { Kernel } from "../kernel.js";
import { ipv4 } from "./addresses.js";

type PortMapping = networks.PortMapping;

/** The ports held by this process. */
export class HeldPorts {
  readonly #held = new Map<string, number[]>();

  constructor(private readonly kernel: Kernel) {}

  /** Takes all of them for `holder`, or none: throws `busy`, its message `ADDRESS:PORT`, for the first that is taken. */
  take(holder: string, ports: PortMapping[]): void {
    const sockets: number[] = [];
    this.#held.set(holder, sockets);
    try {
      for (const port of ports) sockets.push(...this.#bind(port));
    } catch (error) {
      this.release(holder);
      throw error;
    }
  }

  release(holder: string): void {
    for (const socket of this.#held.get(holder) ?? []) closeSync(socket);
    this.#held.delete(holder);
  }

  releaseAll(): void {
    for (const holder of [...this.#held.keys()]) this.release(holder);
  }

  #bind({ protocol, hostAddress, hostPort }: PortMapping): number[] {
    const address = ipv4(hostAddress);
    // For sctp the kernel would load a module; there the rules alone tell who has the port.
    if (protocol === "sctp") return [];
    if (protocol !== "tcp" && protocol !== "udp") throw new HostFailure("invalid", `not a protocol: ${protocol}`);
    try {
      return [this.kernel.bindPort(protocol, address, hostPort)];
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      const name = `${hostAddress}:${hostPort}`;
      if (code === "EADDRINUSE") throw new HostFailure("busy", name);
      if (code !== "EADDRNOTAVAIL") throw error;
      throw new HostFailure("invalid", `listen ${protocol}4 ${name}: bind: cannot assign requested address`);
    }
  }
}
