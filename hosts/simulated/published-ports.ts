// The published ports of the simulated machine that have a door to the real one.

import { HostFailure, refusedPort } from "../shared/index.js";
import type { PortDoors } from "./options.js";
import type { networks } from "../shared/index.js";

/** Closes a door. */
type Close = () => void;

export class PublishedPorts {
  readonly #doors: PortDoors | undefined;
  /** By endpoint, then by port. */
  readonly #open = new Map<string, Map<string, Close>>();

  constructor(doors: PortDoors | undefined) {
    this.#doors = doors;
  }

  /**
   * Opens and closes doors, until an endpoint has exactly these. If one cannot be opened, the endpoint keeps those that
   * it had. Throws the failure of that port.
   */
  async set(place: string, ports: readonly networks.PortMapping[]): Promise<void> {
    if (this.#doors === undefined) return;
    const had = this.#open.get(place) ?? new Map<string, Close>();
    const wanted = new Map(ports.filter(({ protocol }) => protocol === "tcp").map((port) => [nameOf(port), port]));
    const opened = await this.#openAll([...wanted].filter(([name]) => !had.has(name)));
    for (const [name, close] of had) if (!wanted.has(name)) close();
    const kept = [...had].filter(([name]) => wanted.has(name));
    this.#open.set(place, new Map([...kept, ...opened]));
  }

  /** Closes all doors of endpoints that the function chooses. */
  close(isChosen: (place: string) => boolean = () => true): void {
    for (const [place, doors] of this.#open) {
      if (!isChosen(place)) continue;
      this.#open.delete(place);
      for (const close of doors.values()) close();
    }
  }

  async #openAll(ports: readonly (readonly [name: string, port: networks.PortMapping])[]): Promise<[string, Close][]> {
    const opened: [string, Close][] = [];
    try {
      for (const [name, port] of ports) opened.push([name, await this.#openOne(port)]);
    } catch (error) {
      for (const [, close] of opened) close();
      throw error;
    }
    return opened;
  }

  async #openOne(port: networks.PortMapping): Promise<Close> {
    try {
      return await this.#doors!.open({ address: port.hostAddress, port: port.hostPort });
    } catch (error) {
      const { code } = error as { code?: unknown };
      if (typeof code !== "string" || error instanceof HostFailure) throw error;
      throw refusedPort(port, code);
    }
  }
}

function nameOf({ hostAddress, hostPort, containerPort }: networks.PortMapping): string {
  return `${hostAddress} ${hostPort} ${containerPort}`;
}
