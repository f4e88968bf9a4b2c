// Ports of the machine that other programs hold. A container that needs one of them is refused it, as by the kernel.

import { refusedPort } from "../../../hosts/shared/failure.js";
import type { Outcome, networks } from "../../../hosts/shared/host.js";

export class HeldPorts {
  readonly #held = new Set<number>();
  /** Ports that containers have or are about to get, by container and network. */
  readonly #had = new Map<string, readonly number[]>();
  #snatches = 0;

  has(port: number): boolean {
    return this.#held.has(port);
  }

  /** A program holds the port from now on, unless a container has it. */
  hold(port: number): void {
    if (![...this.#had.values()].some((ports) => ports.includes(port))) this.#held.add(port);
  }

  /** The next `times` times, a program takes the first port of a container before the container does. */
  snatch(times: number): void {
    this.#snatches += times;
  }

  /** The programs end. */
  letGo(): void {
    this.#held.clear();
    this.#snatches = 0;
  }

  /** The machine has rebooted, and all ports are free. */
  restart(): void {
    this.letGo();
    this.#had.clear();
  }

  /** Performs a command. Rejects with a `HostFailure` if a program holds a port that the command needs. */
  async around(command: networks.NetworkCommand, act: () => Promise<Outcome>): Promise<Outcome> {
    if (command.tag === "join") return this.#join(command.val, act);
    const outcome = await act();
    if (command.tag === "leave") this.#had.delete(placeOf(command.val));
    if (command.tag === "leave-all") this.#leftAll(command.val);
    return outcome;
  }

  async #join({ container, bridge: { network }, ports }: networks.Join, act: () => Promise<Outcome>): Promise<Outcome> {
    const place = placeOf({ container, network });
    // A container that joins a second time may have its ports already.
    const before = this.#had.get(place);
    this.#refuse(ports.filter(({ hostPort }) => !before?.includes(hostPort)));
    this.#had.set(
      place,
      ports.map(({ hostPort }) => hostPort),
    );
    try {
      return await act();
    } catch (error) {
      if (before === undefined) this.#had.delete(place);
      else this.#had.set(place, before);
      throw error;
    }
  }

  #leftAll(container: string): void {
    for (const place of this.#had.keys()) if (place.startsWith(container)) this.#had.delete(place);
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
