// IPv6 addresses as text: reads every form of RFC 4291 §2.2, writes the canonical form of RFC 5952.

import { formatIpv4, parseIpv4 } from "./ipv4-text";

const GROUPS: i32 = 8;
const NO_GROUPS: i32[] = [];

/** The high and the low 64 bits; null for an invalid text. */
export function parseIpv6(text: string): u64[] | null {
  const groups = groupsOfText(text);
  if (groups === null) return null;
  const words: u64[] = [0, 0];
  for (let i = 0; i < GROUPS; i++) words[i >> 2] = (words[i >> 2] << 16) | <u64>groups[i];
  return words;
}

/** All eight groups; null for an invalid text. */
function groupsOfText(text: string): i32[] | null {
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

/** Groups such as `2001:db8`, where the last may be an IPv4 address; null for an invalid text. */
function groupsOf(text: string): i32[] | null {
  const parts = text.split(":");
  const groups: i32[] = [];
  for (let i = 0; i < parts.length; i++) {
    if (i == parts.length - 1 && parts[i].includes(".")) {
      const address = parseIpv4(parts[i]);
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

export function formatIpv6(high: u64, low: u64): string {
  const groups: i32[] = [];
  for (let shift: u64 = 0; shift < 64; shift += 16) groups.push(<i32>((high >> (48 - shift)) & 0xffff));
  for (let shift: u64 = 0; shift < 64; shift += 16) groups.push(<i32>((low >> (48 - shift)) & 0xffff));
  const first = longestZeros(groups);
  const length = first < 0 ? 0 : zerosFrom(groups, first);
  if (first == 0 && length == 5 && groups[5] == 0xffff) return formatIpv4(<u32>low);
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
