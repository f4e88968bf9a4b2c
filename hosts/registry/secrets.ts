// SECRET. The secrets that are sent to a registry, and how to remove them from texts of others.

import type { types } from "../shared/index.js";

/** The credentials and everything derived from them. `header`: the value of `authorization`. */
export function secretsOf(credentials: types.Credentials | undefined, header: string | undefined): string[] {
  const { password = "", identityToken = "", registryToken = "" } = credentials ?? {};
  const meta = Object.values(metaOf(credentials));
  return [header?.slice(header.indexOf(" ") + 1) ?? "", password, identityToken, registryToken, ...meta];
}

/** SECRET. The headers that a client passes on to a registry: names in lower case, and values. */
export function metaOf(credentials: types.Credentials | undefined): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of credentials?.meta.split("\n") ?? []) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
    if (name.startsWith(META)) headers[name] = line.slice(colon + 1).trim();
  }
  return headers;
}

/** What the names of such headers begin with. */
export const META = "x-meta-";

/** Removes secrets from a text: failures go into logs, and into traces as inputs of the core. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const long = secrets.filter(({ length }) => length >= LEAST);
  return long.reduce((told, secret) => told.replaceAll(secret, "x".repeat(secret.length)), text);
}

/** Shorter ones could match by chance. */
const LEAST = 4;
