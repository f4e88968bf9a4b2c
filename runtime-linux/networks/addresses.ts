// Addresses as text and as bytes.

import { isIPv6 } from "node:net";
import { malformed } from "../../hosts/shared/index.js";

/** Four bytes of an IPv4 address in dotted form. */
export function ipv4(text: string): Uint8Array {
  const parts = text.split(".").map((part) => (/^(0|[1-9][0-9]{0,2})$/.test(part) ? Number(part) : 256));
  if (parts.length !== 4 || parts.some((part) => part > 255)) {
    throw malformed("ip-address", text);
  }
  return Uint8Array.from(parts);
}

/** Sixteen bytes of an IPv6 address without a zone. */
export function ipv6(text: string): Uint8Array {
  if (!isIPv6(text) || text.includes("%") || text.includes(".")) throw malformed("ip-address", text);
  const [head = [], tail = []] = text.split("::").map((part) => part.split(":").filter((group) => group !== ""));
  const groups = [...head, ...Array<string>(8 - head.length - tail.length).fill("0"), ...tail];
  return Uint8Array.from(
    groups.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]),
  );
}

/** The bytes of an address of either family. */
export function addressBytes(text: string): Uint8Array {
  return isIpv6(text) ? ipv6(text) : ipv4(text);
}

/** Whether an address is IPv6. */
export function isIpv6(address: string): boolean {
  return address.includes(":");
}

/** Prefix length of a subnet in CIDR form, of either family. */
export function prefixOf(subnet: string): number {
  const [address = "", prefix = ""] = subnet.split("/");
  const bits = 8 * addressBytes(address).length;
  if (!/^(0|[1-9][0-9]{0,2})$/.test(prefix) || Number(prefix) > bits) {
    throw malformed("subnet", subnet);
  }
  return Number(prefix);
}

/** Last address of an IPv4 subnet. */
export function broadcastOf(subnet: string): Uint8Array {
  const prefix = prefixOf(subnet);
  const bytes = ipv4(subnet.split("/")[0] ?? "");
  return bytes.map((byte, index) => byte | (0xff >> Math.min(8, Math.max(0, prefix - 8 * index))));
}

/** Six bytes of a hardware address. */
export function mac(text: string): Uint8Array {
  if (!/^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i.test(text)) {
    throw malformed("mac-address", text);
  }
  return Uint8Array.from(text.split(":").map((byte) => Number.parseInt(byte, 16)));
}

/** The addresses whose first bits are those of `address`: the first of them, and the next one behind all, if any. */
export function rangeOf(address: Uint8Array, bits: number): { first: Uint8Array; next: Uint8Array | undefined } {
  const mask = maskOf(address.length, bits);
  const first = address.map((byte, at) => byte & mask[at]!);
  const next = first.map((byte, at) => byte | (~mask[at]! & 0xff));
  for (let at = next.length - 1; at >= 0; at -= 1) {
    next[at]! += 1;
    if (next[at] !== 0) return { first, next };
  }
  return { first, next: undefined };
}

/** So many leading bits. */
export function maskOf(bytes: number, bits: number): Uint8Array {
  return Uint8Array.from({ length: bytes }, (_, at) => (0xff00 >> Math.min(8, Math.max(0, bits - 8 * at))) & 0xff);
}
