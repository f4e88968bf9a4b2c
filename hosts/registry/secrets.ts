// SECRET. The secrets that are sent to a registry, and how to remove them from texts of others.

import type { types } from "../shared/index.js";

/** The credentials and everything derived from them. `header`: the value of `authorization`. */
export function secretsOf(credentials: types.Credentials | undefined, header: string | undefined): string[] {
  const { password = "", identityToken = "", registryToken = "" } = credentials ?? {};
  return [header?.slice(header.indexOf(" ") + 1) ?? "", password, identityToken, registryToken];
}

/** Removes secrets from a text: failures go into logs, and into traces as inputs of the core. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const long = secrets.filter(({ length }) => length >= LEAST);
  return long.reduce((told, secret) => told.replaceAll(secret, "x".repeat(secret.length)), text);
}

/** Shorter ones could match by chance. */
const LEAST = 4;
