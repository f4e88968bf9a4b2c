// SECRET. The secrets that are sent to a registry, and how to remove them from texts of others.

import { fromBase64 } from "../shared/index.js";
import type { types } from "../shared/index.js";

/** The credentials and everything derived from them. `header`: the value of `authorization`. */
export function secretsOf(credentials: types.Credentials | undefined, header: string | undefined): string[] {
  const { password = "", identityToken = "", registryToken = "" } = credentials ?? {};
  const meta = linesOf(credentials).flatMap(([, value]) => partsOf(value));
  return [...authorizationParts(header), password, identityToken, registryToken, ...meta];
}

/** Those of a request's headers. Names are in lower case. */
export function secretsIn(headers: Readonly<Record<string, string>>): string[] {
  const meta = Object.entries(headers).filter(([name]) => name.startsWith(META));
  return [...authorizationParts(headers["authorization"]), ...meta.flatMap(([, value]) => partsOf(value))];
}

/**
 * What of a header's value a text of others may repeat: all of it, each element of a list (RFC 9110 §5.6.1), and what comes
 * after a scheme of authorization, in the clear too (RFC 7617 §2).
 */
export function partsOf(value: string): string[] {
  const elements = value.split(",").map((element) => element.trim());
  return [value, ...elements, ...elements.flatMap(authorizationParts)];
}

/** The scheme itself is no secret. */
function authorizationParts(value: string = ""): string[] {
  const [, scheme = "", rest = ""] = /^([^ ]+) +(.*)$/s.exec(value) ?? [];
  if (scheme.toLowerCase() !== "basic") return [rest];
  const pair = pairIn(rest);
  return [rest, pair, pair.slice(pair.indexOf(":") + 1)];
}

/** User and password; empty if it is no Base64. */
function pairIn(encoded: string): string {
  const bytes = fromBase64(encoded);
  return bytes === null ? "" : new TextDecoder().decode(bytes);
}

/** SECRET. The headers that a client passes on to a registry: names in lower case, and values. */
export function metaOf(credentials: types.Credentials | undefined): Record<string, string> {
  const headers: Record<string, string> = {};
  // Several of one name are a list (RFC 9110 §5.3).
  for (const [name, value] of linesOf(credentials)) {
    const former = headers[name];
    headers[name] = former === undefined ? value : `${former}, ${value}`;
  }
  return headers;
}

/** A request's headers without those that a client passes on. */
export function withoutMeta(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(META)));
}

/** Names in lower case, and values; a name may come several times. */
function linesOf(credentials: types.Credentials | undefined): [name: string, value: string][] {
  const lines = (credentials?.meta ?? "").split("\n").map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, Math.max(0, colon)).trim().toLowerCase(), line.slice(colon + 1).trim()];
  });
  return lines.filter(([name]) => name.startsWith(META));
}

/** What the names of such headers begin with. */
const META = "x-meta-";

/** Removes secrets from a text: failures go into logs, and into traces as inputs of the core. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  // A secret may be a part of another one.
  const long = secrets.filter(({ length }) => length >= LEAST).sort((a, b) => b.length - a.length);
  return long.reduce((told, secret) => told.replaceAll(secret, "x".repeat(secret.length)), text);
}

/** Shorter ones could match by chance. */
const LEAST = 4;
