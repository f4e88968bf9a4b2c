// Digests of bytes held in memory, and which digests can be checked.

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { malformed } from "../shared/failure.js";

/**
 * `sha256:` and 64 hex digits. Not by WebCrypto: that is done at another time, of which a simulated world knows nothing,
 * and pages without TLS have none.
 */
export function digestOf(bytes: Uint8Array): string {
  return `sha256:${bytesToHex(sha256(bytes))}`;
}

/** Whether it is a digest of the only algorithm known here. */
export function isDigest(text: string): boolean {
  return /^sha256:[0-9a-f]{64}$/.test(text);
}

/** Refuses a digest that bytes could not be checked against. */
export function requireCheckable(digest: string): void {
  if (isDigest(digest)) return;
  throw malformed(digest.startsWith("sha256:") ? "digest" : "checkable-digest", digest);
}
