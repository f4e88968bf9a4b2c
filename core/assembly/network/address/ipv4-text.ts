// IPv4 addresses as text: four decimal numbers.

import { decimalOf } from "../../text/decimal";

/** The address as a number; -1 for an invalid text. */
export function parseIpv4(text: string): i64 {
  const parts = text.split(".");
  if (parts.length != 4) return -1;
  let address: i64 = 0;
  for (let i = 0; i < 4; i++) {
    const part = parts[i].length > 3 ? -1 : decimalOf(parts[i], 255);
    if (part < 0) return -1;
    address = (address << 8) | part;
  }
  return address;
}

export function formatIpv4(address: u32): string {
  return `${(address >> 24).toString()}.${((address >> 16) & 255).toString()}.${((address >> 8) & 255).toString()}.${(address & 255).toString()}`;
}
