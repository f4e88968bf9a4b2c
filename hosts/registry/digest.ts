// Digests of bytes in memory, and which digests can be checked.

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { malformed } from "../shared/index.js";

/**
 * `sha256:` and 64 hex digits. It does not use WebCrypto. WebCrypto is asynchronous, which a simulated world cannot
 * control, and pages without TLS do not have it.
 */
export function digestOf(bytes: Uint8Array): string {
  return `sha256:${bytesToHex(sha256(bytes))}`;
}

/** Whether it is a digest of the only algorithm supported here. */
export function isDigest(text: string): boolean {
  return /^sha256:[0-9a-f]{64}$/.test(text);
}

/** Throws for a digest that cannot be checked. */
export function requireCheckable(digest: string): void {
  if (isDigest(digest)) return;
  throw malformed(digest.startsWith("sha256:") ? "digest" : "checkable-digest", digest);
}
