// How long a packet is under way, and whether it arrives: the cables of the machine's networks, and their faults.

import type { FaultSource } from "../faults.js";
import { isIpv6 } from "./addresses.js";
import type { Passed } from "./routes.js";
import type { Way } from "./ways.js";

/** From one namespace to another, through the kernel of one machine. */
const WAY_NS = 30_000n;
const LOCAL_NS = 15_000n;
/** The largest packet on a network, without the header of Ethernet. */
const PACKET_BYTES = 1500;
/** Headers: Ethernet, IP of both versions, TCP with timestamps. */
const ETHERNET_BYTES = 14;
const IPV4_BYTES = 20;
const IPV6_BYTES = 40;
const TCP_BYTES = 32;

/** The bytes of the header of a packet to an address. */
export function headerBytes(address: string): number {
  return isIpv6(address) ? IPV6_BYTES : IPV4_BYTES;
}

/** The bytes of an Ethernet frame with this many bytes of content in a packet to an address. */
export function frameBytes(address: string, content: number): number {
  return ETHERNET_BYTES + headerBytes(address) + content;
}

export class Wire {
  readonly #faults: FaultSource;
  readonly #random: () => number;

  /** `random`: a number from 0 up to 1, for packets that get lost. */
  constructor(faults: FaultSource, random: () => number) {
    this.#faults = faults;
    this.#random = random;
  }

  /** Sends bytes of a stream as packets. Returns the time until the last one arrives; null if it is lost. */
  carrySegments(way: Way, bytes: number): bigint | null {
    const segment = PACKET_BYTES - headerBytes(way.address) - TCP_BYTES;
    const packets = Math.max(1, Math.ceil(bytes / segment));
    return this.carry(way, bytes + packets * frameBytes(way.address, TCP_BYTES));
  }

  /** Sends a datagram with its header, in fragments if it is large. Returns the same. */
  carryDatagram(way: Way, bytes: number): bigint | null {
    const packets = Math.ceil(bytes / (PACKET_BYTES - headerBytes(way.address)));
    return this.carry(way, bytes + packets * frameBytes(way.address, 0));
  }

  /** Sends one packet. Returns the time until it arrives, in nanoseconds; null if it is lost. */
  carry({ passed, isLocal }: Omit<Way, "address">, bytes: number): bigint | null {
    if (isLocal) return LOCAL_NS;
    let ns = WAY_NS;
    for (const place of passed) {
      const { namespace, network, way } = place;
      if (way === "sent") namespace.count(network.network, way, bytes);
      if (this.#isLost(place)) return null;
      if (way === "received") namespace.count(network.network, way, bytes);
      const late = this.#delay(place, bytes);
      if (late === null) return null;
      ns += late;
    }
    return ns;
  }

  #isLost(place: Passed): boolean {
    const about = aboutOf(place);
    if (this.#faults.strike("network-cut", about)) return true;
    const loss = this.#faults.strike("network-loss", about);
    return loss !== null && this.#random() * 100 < loss.percent;
  }

  /** Null if it never arrives. */
  #delay(place: Passed, bytes: number): bigint | null {
    const slow = this.#faults.strike("network-slow", aboutOf(place));
    if (slow === null) return 0n;
    const { delayMs = 0, bytesPerSecond = Infinity } = slow;
    const ns = Math.round(delayMs * 1e6 + (bytes / bytesPerSecond) * 1e9);
    return Number.isFinite(ns) ? BigInt(ns) : null;
  }
}

function aboutOf({ namespace, network }: Passed): { container: string; network: string; networkName: string } {
  return { container: namespace.container, network: network.network, networkName: network.name };
}
