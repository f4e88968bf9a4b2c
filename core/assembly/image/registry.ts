// Which registry an image's name means, and how it may be spoken to (surface §4.3).

import { Credentials, Endpoint } from "../../../build/bindings/types";
import { RegistryAuth } from "../api/registry-auth";
import { engine } from "../state";
import { DEFAULT_DOMAIN, parseReference, Reference } from "./reference";

/** Domain that older clients call the default registry by. */
const LEGACY_DEFAULT_DOMAIN = "index.docker.io";

/** Where a name's registry listens. */
export function endpointOf(reference: Reference): Endpoint {
  return new Endpoint(reference.authority, isInsecure(reference.domain));
}

/** Where a login goes: an address as clients keep it, `https://index.docker.io/v1/` or `host:port`; empty is the Hub. */
export function endpointOfAddress(address: string): Endpoint {
  return endpointOf(new Reference(domainOf(address), ""));
}

/** Whether such an address names a host. */
export function isRegistryAddress(address: string): bool {
  return parseReference(`${domainOf(address)}/x`) !== null;
}

/** SECRET. Null for nobody in particular. */
export function credentialsOf(auth: RegistryAuth): Credentials | null {
  if (auth.anonymous) return null;
  return new Credentials(auth.username, auth.password, auth.identityToken, auth.registryToken);
}

/** Loopback addresses, and what the options list: `host`, `host:port` or a block of addresses. */
export function isInsecure(domain: string): bool {
  const host = hostOf(domain);
  if (host == "localhost" || host == "::1") return true;
  const address = ipv4(host);
  if (address >= 0 && address >> 24 == 127) return true;
  const listed = engine.options.insecureRegistries;
  for (let i = 0; i < listed.length; i++) {
    if (listed[i] == domain || listed[i] == host) return true;
    if (address >= 0 && isInBlock(address, listed[i])) return true;
  }
  return false;
}

function domainOf(address: string): string {
  let domain = address;
  const scheme = domain.indexOf("://");
  if (scheme >= 0) domain = domain.slice(scheme + 3);
  const slash = domain.indexOf("/");
  if (slash >= 0) domain = domain.slice(0, slash);
  return domain.length == 0 || domain == LEGACY_DEFAULT_DOMAIN ? DEFAULT_DOMAIN : domain;
}

/** Without the port, and without the brackets of an IPv6 address. */
function hostOf(domain: string): string {
  if (domain.startsWith("[")) return domain.slice(1, max(1, domain.indexOf("]")));
  const colon = domain.lastIndexOf(":");
  return colon < 0 ? domain : domain.slice(0, colon);
}

function isInBlock(address: i64, block: string): bool {
  const slash = block.indexOf("/");
  if (slash < 0) return false;
  const base = ipv4(block.slice(0, slash));
  const bits = <i32>I64.parseInt(block.slice(slash + 1), 10);
  if (base < 0 || bits < 0 || bits > 32) return false;
  return address >> (32 - bits) == base >> (32 - bits);
}

/** An IPv4 address as a number, or -1. */
function ipv4(text: string): i64 {
  const parts = text.split(".");
  if (parts.length != 4) return -1;
  let value: i64 = 0;
  for (let i = 0; i < 4; i++) {
    const part = parts[i];
    if (part.length < 1 || part.length > 3) return -1;
    let octet = 0;
    for (let j = 0; j < part.length; j++) {
      const digit = part.charCodeAt(j) - 0x30;
      if (digit < 0 || digit > 9) return -1;
      octet = octet * 10 + digit;
    }
    if (octet > 255) return -1;
    value = (value << 8) | octet;
  }
  return value;
}
