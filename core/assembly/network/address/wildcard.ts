// The addresses that stand for all addresses of their family, where a port is published on every one of them.

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
