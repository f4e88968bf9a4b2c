// Addresses as text and as bytes.

import { malformed } from "../../hosts/shared/index.js";

/** Four bytes of an IPv4 address in dotted form. */
export function ipv4(text: string): Uint8Array {
  const parts = text.split(".").map((part) => (/^(0|[1-9][0-9]{0,2})$/.test(part) ? Number(part) : 256));
  if (parts.length !== 4 || parts.some((part) => part > 255)) {
    throw malformed("ipv4-address", text);
  }
  return Uint8Array.from(parts);
}

/** Whether an address is IPv6. */
export function isIpv6(address: string): boolean {
  return address.includes(":");
}

/** Prefix length of a subnet in CIDR form. */
export function prefixOf(subnet: string): number {
  const [address = "", prefix = ""] = subnet.split("/");
  ipv4(address);
  if (!/^([12]?[0-9]|3[0-2])$/.test(prefix)) {
    throw malformed("subnet", subnet);
  }
  return Number(prefix);
}

/** Last address of a subnet. */
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
