// IPv4 addresses as numbers, and what kinds there are.

/** 32 bits; null for any other text. */
export function numberOf(address: string): number | null {
  const parts = address.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9][0-9]{0,2})$/.test(part) && Number(part) < 256))
    return null;
  return parts.reduce((number, part) => number * 256 + Number(part), 0);
}

/** Whether an address is in a subnet such as `172.17.0.0/16`. */
export function isWithin(address: string, subnet: string): boolean {
  const [base = "", bits = "32"] = subnet.split("/");
  const [one, other] = [numberOf(address), numberOf(base)];
  const size = 2 ** (32 - Number(bits));
  return one !== null && other !== null && Math.floor(one / size) === Math.floor(other / size);
}

export function isLoopback(address: string): boolean {
  return address.startsWith("127.") || address === "::1";
}

/** All addresses of a family. */
export function isEvery(address: string): boolean {
  return address === "0.0.0.0" || address === "::";
}

export function isIpv6(address: string): boolean {
  return address.includes(":");
}
