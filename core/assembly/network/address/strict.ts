// Addresses and blocks of a network's configuration, read as strictly as Go's netip does: no leading zeros, and no IPv4
// address in the form of an IPv6 one.

import { Address, parseAddress } from "./address";
import { parsePrefix, Prefix } from "./subnet";

/** Null for an invalid text. */
export function strictAddress(text: string): Address | null {
  const address: Address | null = parseAddress(text);
  return address !== null && isStrict(text, address) ? address : null;
}

/** Null for an invalid text. */
export function strictPrefix(text: string): Prefix | null {
  const prefix: Prefix | null = parsePrefix(text);
  if (prefix === null) return null;
  const slash = text.indexOf("/");
  if (text.slice(slash + 1) != prefix.subnet.prefixLength.toString()) return null;
  return isStrict(text.slice(0, slash), prefix.address) ? prefix : null;
}

/** An IPv4 address has only one form. */
function isStrict(text: string, address: Address): bool {
  return address.isIpv6 ? true : text == address.text;
}
