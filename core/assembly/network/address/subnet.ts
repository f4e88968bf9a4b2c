// Blocks of addresses of both families: `172.17.0.0/16`, `fd00::/64`.

import { decimalOf } from "../../text/decimal";
import { Address, IPV6_BITS, parseAddress } from "./address";

export class Subnet {
  /** First address of the block. */
  readonly base: Address;

  /** `address`: any address of the block. `prefixLength`: at most the family's number of bits. */
  constructor(
    address: Address,
    readonly prefixLength: i32,
  ) {
    this.base = new Address(
      address.bits,
      address.high & highMask(address.bits, prefixLength),
      address.low & lowMask(address.bits, prefixLength),
    );
  }

  get isIpv6(): bool {
    return this.base.isIpv6;
  }

  /** Number of bits that tell the addresses of the block apart. */
  get hostBits(): i32 {
    return this.base.bits - this.prefixLength;
  }

  get last(): Address {
    const bits = this.base.bits;
    const all: u64 = this.isIpv6 ? u64.MAX_VALUE : 0xffffffff;
    const high = this.isIpv6 ? this.base.high | ~highMask(bits, this.prefixLength) : 0;
    return new Address(bits, high, this.base.low | (all & ~lowMask(bits, this.prefixLength)));
  }

  /** False for an address of the other family. */
  contains(address: Address): bool {
    return address.bits == this.base.bits && !address.isBefore(this.base) && !this.last.isBefore(address);
  }

  overlaps(other: Subnet): bool {
    return this.contains(other.base) || other.contains(this.base);
  }

  equals(other: Subnet): bool {
    return this.prefixLength == other.prefixLength && this.base.equals(other.base);
  }

  get text(): string {
    return `${this.base.text}/${this.prefixLength.toString()}`;
  }
}

/** An address with the length of its prefix; null for an invalid text. */
export function parseSubnet(text: string): Subnet | null {
  const prefix = parsePrefix(text);
  return prefix === null ? null : prefix.subnet;
}

/** An address and the block in which it is, as in `172.17.0.1/16`. */
export class Prefix {
  constructor(
    readonly address: Address,
    readonly subnet: Subnet,
  ) {}

  /** The address is the first of its block. */
  get isMasked(): bool {
    return this.address.equals(this.subnet.base);
  }

  get text(): string {
    return `${this.address.text}/${this.subnet.prefixLength.toString()}`;
  }
}

/** Null for an invalid text. */
export function parsePrefix(text: string): Prefix | null {
  const slash = text.indexOf("/");
  if (slash < 0) return null;
  const address = parseAddress(text.slice(0, slash));
  if (address === null) return null;
  const digits = text.slice(slash + 1);
  const length = digits.length > 3 ? -1 : decimalOf(digits, address.bits);
  return length < 0 ? null : new Prefix(address, new Subnet(address, length));
}

const LINK_LOCAL: Subnet = parseSubnet("fe80::/64")!;
const MULTICAST: Subnet = parseSubnet("ff00::/8")!;

/**
 * Why no network can have the addresses of this block, in Docker's words; empty if one can. Each interface has an
 * address in fe80::/64 anyway (RFC 4291 §2.5.6), so a network may have all of it, but no other block with it.
 */
export function ipv6SubnetProblem(prefix: Prefix): string {
  const subnet = prefix.subnet;
  if (!subnet.isIpv6) return "";
  if (MULTICAST.contains(prefix.address)) return `multicast subnet '${prefix.text}' is not allowed`;
  if (subnet.equals(LINK_LOCAL) || !subnet.overlaps(LINK_LOCAL)) return "";
  return `'${prefix.text}' clashes with the Link-Local prefix 'fe80::/64'`;
}

function highMask(bits: i32, prefixLength: i32): u64 {
  if (bits != IPV6_BITS || prefixLength == 0) return 0;
  return prefixLength >= 64 ? u64.MAX_VALUE : u64.MAX_VALUE << (64 - prefixLength);
}

function lowMask(bits: i32, prefixLength: i32): u64 {
  const within = bits == IPV6_BITS ? prefixLength - 64 : prefixLength + 32;
  if (within <= 0) return 0;
  return u64.MAX_VALUE << (64 - within);
}
