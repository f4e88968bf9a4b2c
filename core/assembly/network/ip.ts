// IP addresses of both families as text, in the canonical form for comparing and showing them.

import { formatAddress, parseAddress } from "./addresses";

export const EVERY_IPV4: string = "0.0.0.0";
export const EVERY_IPV6: string = "::";

export function isIpv6(address: string): bool {
  return address.includes(":");
}

/** The address that stands for all addresses of the same family. */
export function everyAddressLike(address: string): string {
  return isIpv6(address) ? EVERY_IPV6 : EVERY_IPV4;
}

/** Whether a port that is taken on one address is unavailable on the other. */
export function overlap(a: string, b: string): bool {
  return a == b || (isIpv6(a) == isIpv6(b) && (a == everyAddressLike(a) || b == everyAddressLike(b)));
}

/**
 * The canonical form: IPv6 as in RFC 5952, an IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2) as IPv4. Empty for an
 * invalid text; a text with a zone (RFC 4007) is invalid.
 */
export function canonicalAddress(text: string): string {
  if (!isIpv6(text)) {
    const address = parseAddress(text);
    return address < 0 ? "" : formatAddress(<u32>address);
  }
  const groups = parseIpv6(text);
  return groups === null ? "" : formatIpv6(groups);
}

const GROUPS: i32 = 8;

/** Groups of 16 bits; null for a text that is not an IPv6 address. */
function parseIpv6(text: string): i32[] | null {
  const gap = text.indexOf("::");
  if (gap < 0) {
    const all = groupsOf(text);
    return all !== null && all.length == GROUPS ? all : null;
  }
  const head = gap == 0 ? NO_GROUPS : groupsOf(text.slice(0, gap));
  const tail = gap + 2 == text.length ? NO_GROUPS : groupsOf(text.slice(gap + 2));
  if (head === null || tail === null || head.length + tail.length >= GROUPS) return null;
  // An IPv4 address may only be at the very end.
  if (text.slice(0, gap).includes(".")) return null;
  const groups = head.slice(0);
  while (groups.length + tail.length < GROUPS) groups.push(0);
  return groups.concat(tail);
}

const NO_GROUPS: i32[] = [];

/** Groups such as `2001:db8`, where the last may be an IPv4 address; null for an invalid text. */
function groupsOf(text: string): i32[] | null {
  const parts = text.split(":");
  const groups: i32[] = [];
  for (let i = 0; i < parts.length; i++) {
    if (i == parts.length - 1 && parts[i].includes(".")) {
      const address = parseAddress(parts[i]);
      if (address < 0) return null;
      groups.push(<i32>(address >> 16));
      groups.push(<i32>(address & 0xffff));
      continue;
    }
    const group = parseGroup(parts[i]);
    if (group < 0) return null;
    groups.push(group);
  }
  return groups;
}

/** One to four hexadecimal digits; -1 for anything else. */
function parseGroup(text: string): i32 {
  if (text.length == 0 || text.length > 4) return -1;
  for (let i = 0; i < text.length; i++) if (!"0123456789abcdefABCDEF".includes(text.charAt(i))) return -1;
  return <i32>parseInt(text, 16);
}

function formatIpv6(groups: i32[]): string {
  const first = longestZeros(groups);
  const length = first < 0 ? 0 : zerosFrom(groups, first);
  if (first == 0 && length == 5 && groups[5] == 0xffff)
    return formatAddress(((<u32>groups[6]) << 16) | (<u32>groups[7]));
  if (first < 0) return hexOf(groups, 0, GROUPS);
  return `${hexOf(groups, 0, first)}::${hexOf(groups, first + length, GROUPS)}`;
}

/** Index of the longest run of zero groups, the first one if there are several; -1 if there are no two in a row. */
function longestZeros(groups: i32[]): i32 {
  let first = -1;
  let longest = 1;
  for (let i = 0; i < GROUPS; i++) {
    const length = zerosFrom(groups, i);
    if (length <= longest) continue;
    first = i;
    longest = length;
  }
  return first;
}

function zerosFrom(groups: i32[], first: i32): i32 {
  let end = first;
  while (end < GROUPS && groups[end] == 0) end += 1;
  return end - first;
}

function hexOf(groups: i32[], from: i32, to: i32): string {
  const parts: string[] = [];
  for (let i = from; i < to; i++) parts.push(groups[i].toString(16));
  return parts.join(":");
}
