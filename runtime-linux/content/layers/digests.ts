// Digests as file names.

import { malformed } from "../../../hosts/shared/index.js";

const DIGEST = /^sha256:([0-9a-f]{64})$/;

export function isDigest(text: unknown): boolean {
  return typeof text === "string" && DIGEST.test(text);
}

/** The hex digits of `sha256:HEX`, safe as a file name. */
export function hexOf(digest: string): string {
  const match = DIGEST.exec(digest);
  if (!match?.[1]) throw malformed("digest", digest);
  return match[1];
}
