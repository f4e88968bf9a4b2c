// The registry that an image's name refers to, and how it may be contacted (surface §4.3).

import { Credentials, Endpoint, RegistryHost, RegistryHosts, Security } from "../../../../build/bindings/types";
import { RegistryAuth } from "../../api/registry-auth";
import { Address, parseAddress } from "../../network/address/address";
import { parseSubnet, Subnet } from "../../network/address/subnet";
import { engine } from "../../state";
import { DEFAULT_DOMAIN, LEGACY_DEFAULT_DOMAIN, parseReference, Reference } from "../reference";

const SECURE: Security[] = [Security.VerifiedTls];
const LOOPBACK: Subnet = parseSubnet("127.0.0.0/8")!;
const PLAIN: Security[] = [Security.Plain];
const ANY_CERTIFICATE: Security[] = [Security.AnyCertificate];
/** The name of settings for every registry that has none of its own. */
const EVERY_OTHER = "_default";
const INSECURE: Security[] = [Security.AnyCertificate, Security.Plain];

/** Endpoint that stands for the registry in a name: the server in its settings, or else the registry itself. */
export function endpointOf(reference: Reference): Endpoint {
  const server = serverOf(reference);
  return server === null ? itself(reference) : hostEndpoint(server, reference);
}

/**
 * SECRET. What an endpoint gets of a registry's credentials: all of them if it is the registry itself, wherever the settings
 * name it, and nothing if it is another host.
 */
export function credentialsFor(
  endpoint: Endpoint,
  reference: Reference,
  credentials: Credentials | null,
): Credentials | null {
  return isItself(endpoint.authority, reference) ? credentials : null;
}

/**
 * Where a pull may get an image, in the order of its tries: the Hub's mirrors come before the Hub (surface §4.3), and the
 * hosts in a registry's settings before it. A host that does not know tags is only asked for digests.
 */
export function pullEndpointsOf(reference: Reference): Endpoint[] {
  const mirrors: string[] = reference.domain == DEFAULT_DOMAIN ? engine.options.registryMirrors : [];
  const endpoints = mirrors.map<Endpoint>((mirror) => mirrorEndpoint(mirror));
  const settings = settingsOf(reference.domain);
  let isAsked = false;
  for (let i = 0; settings !== null && i < settings.hosts.length; i++) {
    const host = settings.hosts[i];
    if (!maySupply(host, reference)) continue;
    endpoints.push(hostEndpoint(host, reference));
    if (isItself(host.authority, reference)) isAsked = true;
  }
  const server = serverOf(reference);
  if (server !== null && !maySupply(server, reference)) return endpoints;
  // Settings that only tell how to reach the registry are no reason to ask it twice, whatever stands between.
  if (!isAsked || (server !== null && isElsewhere(server, reference))) endpoints.push(endpointOf(reference));
  return endpoints;
}

/** Whether settings name a server that is another place than the registry as one of their hosts. */
function isElsewhere(server: RegistryHost, reference: Reference): bool {
  if (server.authority.length == 0) return false;
  if (!isItself(server.authority, reference)) return true;
  const hosts = settingsOf(reference.domain)!.hosts;
  for (let i = 0; i < hosts.length; i++) {
    const host = hosts[i];
    if (!maySupply(host, reference) || !isItself(host.authority, reference)) continue;
    if (host.security == server.security && host.way.path == server.way.path) return false;
  }
  return true;
}

/**
 * Where an inspection asks what a registry has: the server in its settings, or else the registry itself. Null if the server
 * does not tell it.
 */
export function inspectedEndpointOf(reference: Reference): Endpoint | null {
  const server = serverOf(reference);
  return server === null || maySupply(server, reference) ? endpointOf(reference) : null;
}

function maySupply(host: RegistryHost, reference: Reference): bool {
  return host.pulls && (host.resolves || reference.digest.length > 0);
}

/**
 * Where a push goes: the first host in the registry's settings that takes pushes, or else the registry. Null if its server
 * takes none.
 */
export function pushEndpointOf(reference: Reference): Endpoint | null {
  const settings = settingsOf(reference.domain);
  for (let i = 0; settings !== null && i < settings.hosts.length; i++) {
    if (settings.hosts[i].pushes) return hostEndpoint(settings.hosts[i], reference);
  }
  const server = serverOf(reference);
  return server === null || server.pushes ? endpointOf(reference) : null;
}

/** Null for a registry that has none. */
function settingsOf(domain: string): RegistryHosts | null {
  const all = engine.options.registryHosts;
  let usual: RegistryHosts | null = null;
  for (let i = 0; i < all.length; i++) {
    if (all[i].registry == domain) return all[i];
    if (all[i].registry == EVERY_OTHER) usual = all[i];
  }
  return usual;
}

function serverOf(reference: Reference): RegistryHost | null {
  const settings = settingsOf(reference.domain);
  return settings === null ? null : settings.server;
}

/** The registry, reached as its settings tell for the host that it is. */
function itself(reference: Reference): Endpoint {
  const host = ownHostOf(reference);
  if (host !== null) return hostEndpoint(host, reference);
  return new Endpoint(reference.authority, usualSecurity(reference), null, null);
}

/** The host in a registry's settings that is the registry itself. */
function ownHostOf(reference: Reference): RegistryHost | null {
  const settings = settingsOf(reference.domain);
  if (settings === null) return null;
  const server = settings.server;
  if (server !== null && isItself(server.authority, reference)) return server;
  for (let i = 0; i < settings.hosts.length; i++) {
    if (isItself(settings.hosts[i].authority, reference)) return settings.hosts[i];
  }
  return null;
}

/** A server without a name is the registry. The name of the Hub and the host of its API are one. */
function isItself(authority: string, reference: Reference): bool {
  return authority.length == 0 || authority == reference.authority || authority == reference.domain;
}

function usualSecurity(reference: Reference): Security[] {
  return isInsecure(reference.domain) ? INSECURE : SECURE;
}

/** Another host than the registry is told which registry it stands for: it may stand for several. */
function hostEndpoint(host: RegistryHost, reference: Reference): Endpoint {
  const own = isItself(host.authority, reference);
  // Where only a certificate is set, the scheme is open.
  const isUsual = host.authority.length == 0 && host.security == Security.VerifiedTls;
  const security = isUsual ? usualSecurity(reference) : [host.security];
  const authority = own ? reference.authority : host.authority;
  return new Endpoint(authority, security, host.way, own ? null : reference.domain);
}

/** `https://host:port` or `http://host:port`, perhaps with a slash. */
function mirrorEndpoint(address: string): Endpoint {
  const scheme = address.indexOf("://");
  const rest = address.slice(scheme + 3);
  const authority = rest.endsWith("/") ? rest.slice(0, rest.length - 1) : rest;
  if (address.slice(0, scheme) == "http") return new Endpoint(authority, PLAIN, null, null);
  return new Endpoint(authority, isInsecure(authority) ? ANY_CERTIFICATE : SECURE, null, null);
}

/** Endpoint of the index of a registry; empty means the Hub, whose index is another host. */
export function searchEndpointOf(domain: string): Endpoint {
  const hub = domain.length == 0 || domain == DEFAULT_DOMAIN || domain == LEGACY_DEFAULT_DOMAIN;
  return hub ? new Endpoint(LEGACY_DEFAULT_DOMAIN, SECURE, null, null) : itself(new Reference(domain, ""));
}

/**
 * Endpoint for a login: the registry itself. Clients store the address as `https://index.docker.io/v1/` or `host:port`;
 * empty means the Hub.
 */
export function endpointOfAddress(address: string): Endpoint {
  return itself(new Reference(domainOf(address), ""));
}

/** Whether such an address contains a host. */
export function isRegistryAddress(address: string): bool {
  return parseReference(`${domainOf(address)}/x`) !== null;
}

/** SECRET. Null for an anonymous client. `meta`: what it passes on besides; only pulls and pushes do. */
export function credentialsOf(auth: RegistryAuth, meta: string = ""): Credentials | null {
  if (auth.anonymous && meta.length == 0) return null;
  return new Credentials(auth.username, auth.password, auth.identityToken, auth.registryToken, meta);
}

/** Whether the registry can tell from them who asks. */
export function isKnown(credentials: Credentials | null): bool {
  if (credentials === null) return false;
  if (credentials.username.length + credentials.password.length > 0) return true;
  return credentials.identityToken.length + credentials.registryToken.length > 0;
}

/** True for loopback addresses and those in the options: `host`, `host:port` or a block of addresses. */
export function isInsecure(domain: string): bool {
  const host = hostOf(domain);
  if (host == "localhost" || host == "::1") return true;
  const address = parseAddress(host);
  if (address !== null && LOOPBACK.contains(address)) return true;
  const listed = engine.options.insecureRegistries;
  for (let i = 0; i < listed.length; i++) {
    if (listed[i] == domain || listed[i] == host) return true;
    if (address !== null && isInBlock(address, listed[i])) return true;
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

/** The host without port, and without the brackets of an IPv6 address. */
function hostOf(domain: string): string {
  if (domain.startsWith("[")) return domain.slice(1, max(1, domain.indexOf("]")));
  const colon = domain.lastIndexOf(":");
  return colon < 0 ? domain : domain.slice(0, colon);
}

function isInBlock(address: Address, block: string): bool {
  const subnet = parseSubnet(block);
  return subnet !== null && subnet.contains(address);
}
