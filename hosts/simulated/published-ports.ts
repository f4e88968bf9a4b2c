// The published ports of the simulated machine that have a door to the real one.

import { HostFailure, interrupted, refusedPort } from "../shared/index.js";
import type { PortDoors } from "./options.js";
import type { networks } from "../shared/index.js";

/** Closes a door. */
type Close = () => void;

/** Doors of an endpoint that are being opened. */
interface Opening {
  readonly place: string;
  /** The endpoint is gone. */
  isCalledOff: boolean;
}

export class PublishedPorts {
  readonly #doors: PortDoors | undefined;
  /** By endpoint, then by port. */
  readonly #open = new Map<string, Map<string, Close>>();
  readonly #openings = new Set<Opening>();

  constructor(doors: PortDoors | undefined) {
    this.#doors = doors;
  }

  /**
   * Opens and closes doors, until an endpoint has exactly these. If one cannot be opened, the endpoint keeps those that
   * it had. Throws the failure of that port; `engine-gone` if the endpoint was closed meanwhile.
   */
  async set(place: string, ports: readonly networks.PortMapping[]): Promise<void> {
    if (this.#doors === undefined) return;
    const had = this.#open.get(place) ?? new Map<string, Close>();
    const wanted = new Map(ports.filter(({ protocol }) => protocol in PROTOCOLS).map((port) => [nameOf(port), port]));
    const opening: Opening = { place, isCalledOff: false };
    this.#openings.add(opening);
    const missing = [...wanted].filter(([name]) => !had.has(name));
    const opened = await this.#openAll(missing).finally(() => this.#openings.delete(opening));
    if (opening.isCalledOff) {
      for (const [, close] of opened) close();
      throw interrupted("engine-gone");
    }
    for (const [name, close] of had) if (!wanted.has(name)) close();
    const kept = [...had].filter(([name]) => wanted.has(name));
    this.#open.set(place, new Map([...kept, ...opened]));
  }

  /** Closes all doors of endpoints that the function chooses, those that are being opened included. */
  close(isChosen: (place: string) => boolean = () => true): void {
    for (const opening of this.#openings) opening.isCalledOff ||= isChosen(opening.place);
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
      const protocol = PROTOCOLS[port.protocol]!;
      return await this.#doors!.open({ address: port.hostAddress, port: port.hostPort, protocol });
    } catch (error) {
      const { code } = error as { code?: unknown };
      if (typeof code !== "string" || error instanceof HostFailure) throw error;
      throw refusedPort(port, code);
    }
  }
}

/** Those that have doors. */
const PROTOCOLS: Readonly<Record<string, "tcp" | "udp">> = { tcp: "tcp", udp: "udp" };

function nameOf({ protocol, hostAddress, hostPort, containerPort }: networks.PortMapping): string {
  return `${protocol} ${hostAddress} ${hostPort} ${containerPort}`;
}
