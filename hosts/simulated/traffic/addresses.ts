// Addresses of both families as numbers and as text, and what kinds there are.

/** The two families, by the version of the protocol. */
export type Family = 4 | 6;

const GROUPS = 8;

/** The 32 bits of an IPv4 address; null for any other text. */
export function numberOf(address: string): number | null {
  const parts = address.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9][0-9]{0,2})$/.test(part) && Number(part) < 256))
    return null;
  return parts.reduce((number, part) => number * 256 + Number(part), 0);
}

/** The eight groups of an IPv6 address without a zone (RFC 4291, 2.2); null for any other text. */
export function groupsOf(address: string): number[] | null {
  const sides = address.split("::");
  if (!address.includes(":") || sides.length > 2) return null;
  const [head, tail = []] = sides.map((side) => (side === "" ? [] : side.split(":").flatMap(groupsIn)));
  const missing = GROUPS - head!.length - tail.length;
  if (sides.length === 1 ? missing !== 0 : missing < 1) return null;
  const groups = [...head!, ...Array<number>(missing).fill(0), ...tail];
  return groups.every((group) => group >= 0) ? groups : null;
}

/** One group, or two of an IPv4 address at the end; -1 for any other text. */
function groupsIn(text: string, index: number, all: readonly string[]): number[] {
  if (/^[0-9a-f]{1,4}$/i.test(text)) return [Number.parseInt(text, 16)];
  const number = index === all.length - 1 ? numberOf(text) : null;
  return number === null ? [-1] : [Math.floor(number / 0x10000), number % 0x10000];
}

/** The one text that an address has here: RFC 5952, and dotted for IPv4 in IPv6 (`::ffff:`). Null if it is none. */
export function canonical(address: string): string | null {
  if (numberOf(address) !== null) return address;
  const groups = groupsOf(address);
  if (groups === null) return null;
  if (groups.every((group, index) => index > 5 || group === (index === 5 ? 0xffff : 0)))
    return [groups[6]! >> 8, groups[6]! & 255, groups[7]! >> 8, groups[7]! & 255].join(".");
  return shortened(groups.map((group) => group.toString(16)));
}

/** The first of the longest runs of zeros, if it is longer than one, is left out. */
function shortened(groups: readonly string[]): string {
  const runs = [...`${groups.join(":")}:`.matchAll(/(?<![0-9a-f])(?:0:){2,}/g)].map(([run]) => run);
  const longest = runs.reduce((one, other) => (other.length > one.length ? other : one), "");
  if (longest === "") return groups.join(":");
  const text = `:${groups.join(":")}:`;
  const at = text.indexOf(`:${longest}`);
  const [head, tail] = [text.slice(1, Math.max(1, at)), text.slice(at + 1 + longest.length, -1)];
  return `${head}::${tail}`;
}

/** Whether an address is in a subnet such as `172.17.0.0/16` or `fd00:1::/64`. */
export function isWithin(address: string, subnet: string): boolean {
  const [base = "", bits = ""] = subnet.split("/");
  const [one, other] = [bitsOf(address), bitsOf(base)];
  if (one === null || other === null || one.length !== other.length) return false;
  return one.startsWith(other.slice(0, bits === "" ? one.length : Number(bits)));
}

/** The digits of its bits. */
function bitsOf(address: string): string | null {
  const number = numberOf(address);
  if (number !== null) return number.toString(2).padStart(32, "0");
  return (
    groupsOf(address)
      ?.map((group) => group.toString(2).padStart(16, "0"))
      .join("") ?? null
  );
}

export function isLoopback(address: string): boolean {
  return address.startsWith("127.") || address === "::1";
}

/** All addresses of a family. For programs that listen, those of IPv6 include those of IPv4 (ipv6(7)). */
export function isEvery(address: string): boolean {
  return address === "0.0.0.0" || address === "::";
}

/** An address of IPv6 that means something on one link alone (RFC 4291, 2.5.6): programs name the interface behind a `%`. */
export function isOfLink(address: string): boolean {
  return isWithin(address, "fe80::/10");
}

export function isIpv6(address: string): boolean {
  return address.includes(":");
}

export function familyOf(address: string): Family {
  return isIpv6(address) ? 6 : 4;
}

/** With brackets around it if it is of IPv6, as in a URL (RFC 3986). */
export function bracketed(address: string): string {
  return isIpv6(address) ? `[${address}]` : address;
}
