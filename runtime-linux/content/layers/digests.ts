// Digests as file names. Layers have digests by SHA-256. A registry's blobs may have others of the OCI image spec
// ("Registered Algorithms"), and by SHA-384, which Docker knows, too.

import { createHash, type Hash } from "node:crypto";
import { malformed } from "../../../hosts/shared/index.js";

const DIGEST = /^sha256:([0-9a-f]{64})$/;
const BLOB = /^(?:(sha256):([0-9a-f]{64})|(sha384):([0-9a-f]{96})|(sha512):([0-9a-f]{128}))$/;

/** The algorithms of blobs' digests: also the names of the directories that keep blobs. */
export const ALGORITHMS: readonly string[] = ["sha256", "sha384", "sha512"];

export function isDigest(text: unknown): boolean {
  return typeof text === "string" && DIGEST.test(text);
}

export function isBlobDigest(text: unknown): boolean {
  return typeof text === "string" && BLOB.test(text);
}

/** The hex digits of `sha256:HEX`, safe as a file name. */
export function hexOf(digest: string): string {
  const match = DIGEST.exec(digest);
  if (!match?.[1]) throw malformed("digest", digest);
  return match[1];
}

/** The algorithm and the hex digits of a blob's digest, safe as file names. */
export function blobNames(digest: string): [algorithm: string, hex: string] {
  const [, ...groups] = BLOB.exec(digest) ?? [];
  const [algorithm, hex] = groups.filter((group) => group !== undefined);
  if (algorithm === undefined || hex === undefined) throw malformed("checkable-digest", digest);
  return [algorithm, hex];
}

/** Computes a digest of bytes. */
export class BlobHash {
  readonly #algorithm: string;
  readonly #hash: Hash;

  constructor(algorithm = "sha256") {
    this.#algorithm = algorithm;
    this.#hash = createHash(algorithm);
  }

  /** By the algorithm of another digest. */
  static like(digest: string): BlobHash {
    return new BlobHash(blobNames(digest)[0]);
  }

  update(bytes: Uint8Array): void {
    this.#hash.update(bytes);
  }

  /** Of the bytes so far. */
  get digest(): string {
    return `${this.#algorithm}:${this.#hash.copy().digest("hex")}`;
  }
}
