// Digests of bytes held in memory, and which digests can be checked.

import { HostFailure } from "../failure.js";

/** `sha256:` and 64 hex digits. */
export async function digestOf(bytes: Uint8Array): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>));
  return `sha256:${Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** Whether it is a digest of the only algorithm known here. */
export function isDigest(text: string): boolean {
  return /^sha256:[0-9a-f]{64}$/.test(text);
}

/** Refuses a digest that bytes could not be checked against. */
export function requireCheckable(digest: string): void {
  if (isDigest(digest)) return;
  if (digest.startsWith("sha256:")) throw new HostFailure("invalid", `invalid checksum digest format: ${digest}`);
  throw new HostFailure("unsupported", `unsupported digest algorithm: ${digest}: only sha256 can be verified`);
}
