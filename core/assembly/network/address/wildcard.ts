// The addresses that stand for all addresses of their family, where a port is published on every one of them.

export const EVERY_IPV4: string = "0.0.0.0";
export const EVERY_IPV6: string = "::";

export function isIpv6(address: string): bool {
  // Each form has its own separator among the first characters: there may be tens of thousands of addresses.
  for (let i = 0; i < address.length; i++) {
    const code = address.charCodeAt(i);
    if (code == COLON || code == DOT) return code == COLON;
  }
  return false;
}

const COLON: i32 = 0x3a;
const DOT: i32 = 0x2e;

/** The address that stands for all addresses of the same family. */
export function everyAddressLike(address: string): string {
  return isIpv6(address) ? EVERY_IPV6 : EVERY_IPV4;
}

/** Whether a port that is taken on one address is unavailable on the other. */
export function overlap(a: string, b: string): bool {
  return a == b || (isIpv6(a) == isIpv6(b) && (a == everyAddressLike(a) || b == everyAddressLike(b)));
}
