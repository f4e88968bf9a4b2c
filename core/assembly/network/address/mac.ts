// Hardware addresses.

/** The hardware address that Docker derives from an IPv4 address: `02:42:` and the address in hex (surface §6.5). */
export function macOf(address: u32): string {
  let mac = "02:42";
  for (let shift = 24; shift >= 0; shift -= 8) {
    const octet = ((address >> shift) & 255).toString(16);
    mac += octet.length == 1 ? `:0${octet}` : `:${octet}`;
  }
  return mac;
}

/**
 * A hardware address for an interface with IPv6 only, from the whole address: `06:` and 40 bits of its hash (FNV-1a). The
 * 6 keeps it apart from all that `macOf` and a bridge have; it is local (IEEE 802), too.
 */
export function macOfIpv6(high: u64, low: u64): string {
  let hash: u64 = 0xcbf29ce484222325;
  for (let shift: u64 = 0; shift < 128; shift += 8) {
    const octet = ((shift < 64 ? low : high) >> (shift & 63)) & 255;
    hash = (hash ^ octet) * 0x100000001b3;
  }
  let mac = "06";
  for (let shift: u64 = 0; shift < 40; shift += 8) {
    mac += `:${((hash >> shift) & 255).toString(16).padStart(2, "0")}`;
  }
  return mac;
}

/** Six bytes in hex, as `02:42:ac:11:00:02`, `02-42-ac-11-00-02` or `0242.ac11.0002`; empty for an invalid text. */
export function parseMac(text: string): string {
  if (text.length == 14 && text.charAt(4) == "." && text.charAt(9) == ".") {
    const digits = text.replaceAll(".", "");
    const pairs: string[] = [];
    for (let i = 0; i < digits.length; i += 2) pairs.push(digits.slice(i, i + 2));
    return parseMac(pairs.join(":"));
  }
  if (text.length != 17) return "";
  const separator = text.charAt(2);
  if (separator != ":" && separator != "-") return "";
  for (let i = 0; i < text.length; i++) {
    const isDigit = "0123456789abcdefABCDEF".includes(text.charAt(i));
    if (i % 3 == 2 ? text.charAt(i) != separator : !isDigit) return "";
  }
  return text.toLowerCase().replaceAll("-", ":");
}
