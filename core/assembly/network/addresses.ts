// IPv4 addresses and subnets as numbers.

import { decimalOf } from "../text/decimal";

/** The address as a number; -1 for an invalid text. */
export function parseAddress(text: string): i64 {
  const parts = text.split(".");
  if (parts.length != 4) return -1;
  let address: i64 = 0;
  for (let i = 0; i < 4; i++) {
    const part = parseOctet(parts[i]);
    if (part < 0) return -1;
    address = (address << 8) | part;
  }
  return address;
}

export function formatAddress(address: u32): string {
  return `${(address >> 24).toString()}.${((address >> 16) & 255).toString()}.${((address >> 8) & 255).toString()}.${(address & 255).toString()}`;
}

export class Subnet {
  constructor(
    readonly base: u32,
    readonly prefixLength: i32,
  ) {}

  get mask(): u32 {
    return this.prefixLength == 0 ? 0 : 0xffffffff << (32 - this.prefixLength);
  }

  get last(): u32 {
    return this.base | ~this.mask;
  }

  contains(address: u32): bool {
    return (address & this.mask) == this.base;
  }

  overlaps(other: Subnet): bool {
    return this.contains(other.base) || other.contains(this.base);
  }

  get text(): string {
    return `${formatAddress(this.base)}/${this.prefixLength.toString()}`;
  }
}

/** `172.17.0.0/16`; null for an invalid text. */
export function parseSubnet(text: string): Subnet | null {
  const slash = text.indexOf("/");
  if (slash < 0) return null;
  const address = parseAddress(text.slice(0, slash));
  const bits = parseOctet(text.slice(slash + 1));
  if (address < 0 || bits < 0 || bits > 32) return null;
  const whole = new Subnet(<u32>address, bits);
  return new Subnet((<u32>address) & whole.mask, bits);
}

/** The hardware address that Docker derives from an IPv4 address: `02:42:` and the address in hex (surface §6.5). */
export function macOf(address: u32): string {
  let mac = "02:42";
  for (let shift = 24; shift >= 0; shift -= 8) {
    const octet = ((address >> shift) & 255).toString(16);
    mac += octet.length == 1 ? `:0${octet}` : `:${octet}`;
  }
  return mac;
}

/** Six bytes in hex, as `02:42:ac:11:00:02`, `02-42-ac-11-00-02` or `0242.ac11.0002`; empty for an invalid text. */
export function parseMac(text: string): string {
  if (text.length == 14 && text.charAt(4) == "." && text.charAt(9) == ".") {
    const digits = text.replaceAll(".", "");
    const pairs: string[] = [];
    for (let i = 0; i < digits.length; i += 2) pairs.push(digits.slice(i, i + 2));
    return parseMac(pairs.join(":"));
  }
  if (text.length != 17) return "";
  const separator = text.charAt(2);
  if (separator != ":" && separator != "-") return "";
  for (let i = 0; i < text.length; i++) {
    const isDigit = "0123456789abcdefABCDEF".includes(text.charAt(i));
    if (i % 3 == 2 ? text.charAt(i) != separator : !isDigit) return "";
  }
  return text.toLowerCase().replaceAll("-", ":");
}

function parseOctet(text: string): i32 {
  return text.length > 3 ? -1 : decimalOf(text, 255);
}
