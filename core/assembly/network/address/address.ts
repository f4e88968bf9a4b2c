// IP addresses of both families, as numbers that can be counted and compared, and as text in canonical form.

import { formatIpv4, parseIpv4 } from "./ipv4-text";
import { formatIpv6, parseIpv6 } from "./ipv6-text";

/** Bits of an address. The number also names the family. */
export const IPV4_BITS: i32 = 32;
export const IPV6_BITS: i32 = 128;

/** An address as a number of 32 bits (all in `low`) or 128 bits. */
export class Address {
  constructor(
    /** `IPV4_BITS` or `IPV6_BITS`. */
    readonly bits: i32,
    readonly high: u64,
    readonly low: u64,
  ) {}

  static ofIpv4(address: u32): Address {
    return new Address(IPV4_BITS, 0, address);
  }

  get isIpv6(): bool {
    return this.bits == IPV6_BITS;
  }

  equals(other: Address): bool {
    return this.bits == other.bits && this.high == other.high && this.low == other.low;
  }

  /** Whether this address comes before another one of the same family. */
  isBefore(other: Address): bool {
    return this.high < other.high || (this.high == other.high && this.low < other.low);
  }

  /** The address `count` further on. It wraps around at the end of the family's addresses. */
  plus(count: u64): Address {
    const low = this.low + count;
    if (!this.isIpv6) return new Address(IPV4_BITS, 0, low & 0xffffffff);
    return new Address(IPV6_BITS, this.high + (low < this.low ? 1 : 0), low);
  }

  /** The address `count` blocks of 2^`shift` addresses further on. It wraps around as `plus` does. */
  plusBlocks(count: u64, shift: i32): Address {
    if (shift < 64) {
      const carried = shift == 0 ? 0 : count >> (64 - <u64>shift);
      const near = this.plus(count << (<u64>shift));
      return this.isIpv6 ? new Address(IPV6_BITS, near.high + carried, near.low) : near;
    }
    return new Address(this.bits, this.high + (count << (<u64>shift - 64)), this.low);
  }

  /** The address before this one. */
  get previous(): Address {
    return new Address(this.bits, this.high - (this.low == 0 ? 1 : 0), this.low - 1);
  }

  /** RFC 5952 for IPv6; an IPv4-mapped address (RFC 4291 §2.5.5.2) is shown as the IPv4 address. */
  get text(): string {
    return this.isIpv6 ? formatIpv6(this.high, this.low) : formatIpv4(<u32>this.low);
  }
}

/**
 * An IPv4-mapped IPv6 address is read as the IPv4 address. Null for an invalid text, such as one with a zone (RFC 4007).
 */
export function parseAddress(text: string): Address | null {
  if (!text.includes(":")) {
    const address = parseIpv4(text);
    return address < 0 ? null : Address.ofIpv4(<u32>address);
  }
  const words = parseIpv6(text);
  if (words === null) return null;
  const high = words[0];
  const low = words[1];
  if (high == 0 && low >> 32 == 0xffff) return Address.ofIpv4(<u32>low);
  return new Address(IPV6_BITS, high, low);
}

/** The canonical form of an address; empty for an invalid text. */
export function canonicalAddress(text: string): string {
  if (!text.includes(":")) {
    // Without a new object, since there may be tens of thousands.
    const address = parseIpv4(text);
    return address < 0 ? "" : formatIpv4(<u32>address);
  }
  const address = parseAddress(text);
  return address === null ? "" : address.text;
}
