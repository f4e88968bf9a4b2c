// Digests of bytes in memory, and which digests can be checked.

import { sha256, sha384, sha512 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { malformed } from "../shared/index.js";

/**
 * `sha256:` and 64 hex digits. It does not use WebCrypto. WebCrypto is asynchronous, which a simulated world cannot
 * control, and pages without TLS do not have it.
 */
export function digestOf(bytes: Uint8Array): string {
  return `sha256:${bytesToHex(sha256(bytes))}`;
}

/** The algorithms of the OCI image spec ("Registered Algorithms"), and SHA-384, which Docker knows, too. */
const ALGORITHMS: ReadonlyMap<string, { hash: (bytes: Uint8Array) => Uint8Array; digits: number }> = new Map([
  ["sha256", { hash: sha256, digits: 64 }],
  ["sha384", { hash: sha384, digits: 96 }],
  ["sha512", { hash: sha512, digits: 128 }],
]);

/** The digest of the bytes by the algorithm of another digest. */
export function digestLike(like: string, bytes: Uint8Array): string {
  const name = algorithmOf(like);
  const algorithm = ALGORITHMS.get(name);
  return algorithm === undefined ? digestOf(bytes) : `${name}:${bytesToHex(algorithm.hash(bytes))}`;
}

/** Whether it is a digest by one of the algorithms. */
export function isAnyDigest(text: string): boolean {
  const name = algorithmOf(text);
  const digits = text.slice(name.length + 1);
  return digits.length === ALGORITHMS.get(name)?.digits && /^[0-9a-f]+$/.test(digits);
}

/** Throws for what is no digest. */
export function requireDigest(digest: string): void {
  if (isAnyDigest(digest)) return;
  throw malformed(ALGORITHMS.has(algorithmOf(digest)) ? "digest" : "checkable-digest", digest);
}

function algorithmOf(digest: string): string {
  return digest.slice(0, Math.max(0, digest.indexOf(":")));
}
