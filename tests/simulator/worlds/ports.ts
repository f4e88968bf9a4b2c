// Ports of the machine that programs besides containers hold: a container that is to have one of them is refused it, in the
// way the kernel does it.

import { refusedPort } from "../../../hosts/shared/failure.js";
import type { Outcome, networks } from "../../../hosts/shared/host.js";

export class HeldPorts {
  readonly #held = new Set<number>();
  /** Ports that containers have, or are about to have: by container and network. */
  readonly #had = new Map<string, readonly number[]>();
  #snatches = 0;

  has(port: number): boolean {
    return this.#held.has(port);
  }

  /** A program holds it from now on, unless a container has it. */
  hold(port: number): void {
    if (![...this.#had.values()].some((ports) => ports.includes(port))) this.#held.add(port);
  }

  /** So many times a program is faster than the next container with the first port that this one is to have. */
  snatch(times: number): void {
    this.#snatches += times;
  }

  /** Those programs end. */
  letGo(): void {
    this.#held.clear();
    this.#snatches = 0;
  }

  /** The machine has restarted: nobody has a port. */
  restart(): void {
    this.letGo();
    this.#had.clear();
  }

  /** Carries out a command unless a program holds a port that it needs. Rejects with a `HostFailure` then. */
  async around(command: networks.NetworkCommand, act: () => Promise<Outcome>): Promise<Outcome> {
    if (command.tag === "join") return this.#join(command.val, act);
    const outcome = await act();
    if (command.tag === "leave") this.#had.delete(placeOf(command.val));
    return outcome;
  }

  async #join({ container, bridge: { network }, ports }: networks.Join, act: () => Promise<Outcome>): Promise<Outcome> {
    const place = placeOf({ container, network });
    // Whoever joins twice has them already.
    if (this.#had.has(place)) return act();
    this.#refuse(ports);
    this.#had.set(
      place,
      ports.map(({ hostPort }) => hostPort),
    );
    try {
      return await act();
    } catch (error) {
      this.#had.delete(place);
      throw error;
    }
  }

  #refuse(ports: networks.Join["ports"]): void {
    const [first] = ports;
    if (first !== undefined && this.#snatches > 0) {
      this.#snatches -= 1;
      this.hold(first.hostPort);
    }
    const taken = ports.find(({ hostPort }) => this.has(hostPort));
    if (taken !== undefined) throw refusedPort(taken, "EADDRINUSE");
  }
}

function placeOf({ container, network }: networks.Leave): string {
  return `${container} ${network}`;
}
