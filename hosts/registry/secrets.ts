// SECRET. What goes to a registry in confidence, and how it is kept from what others say.

import type { types } from "../shared/host.js";

/** The credentials, and what is made of them. `header`: `authorization`. */
export function secretsOf(credentials: types.Credentials | undefined, header: string | undefined): string[] {
  const { password = "", identityToken = "", registryToken = "" } = credentials ?? {};
  return [header?.slice(header.indexOf(" ") + 1) ?? "", password, identityToken, registryToken];
}

/** Nobody is told what was said in confidence: a message goes into logs and traces, as an input of the core. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const long = secrets.filter(({ length }) => length >= LEAST);
  return long.reduce((told, secret) => told.replaceAll(secret, "x".repeat(secret.length)), text);
}

/** Shorter ones come up by chance. */
const LEAST = 4;
