// SHA-256 by Node's crypto, that knows bytes again: who asks the same time and again is answered the same, as a rule.

import * as crypto from "node:crypto";
import type { Sha256 } from "../../trace/hash.js";

/** Bytes worth comparing with others, and worth keeping for that. */
const LEAST = 1024;
const MOST = 256 * 1024;
/** So many are kept, of different lengths. */
const MOST_KEPT = 16;

/** Of newer Nodes (20.12), and less than half as slow for few bytes. */
const { hash } = crypto as Partial<Pick<typeof crypto, "hash">>;

const sha256: Sha256 =
  hash === undefined
    ? (bytes) => crypto.createHash("sha256").update(bytes).digest()
    : (bytes) => hash("sha256", bytes, "buffer");

export function nativeHash(): Sha256 {
  const known = new Map<number, { bytes: Uint8Array; digest: Uint8Array }>();
  const remembering: Sha256 = (bytes) => {
    const { length } = bytes;
    if (length < LEAST || length > MOST) return sha256(bytes);
    const found = known.get(length);
    if (found !== undefined && Buffer.compare(found.bytes, bytes) === 0) return found.digest;
    const digest = sha256(bytes);
    known.delete(length);
    known.set(length, { bytes: isOwn(bytes) ? bytes : bytes.slice(), digest });
    if (known.size > MOST_KEPT) known.delete(known.keys().next().value!);
    return digest;
  };
  if (hash !== undefined) remembering.inBase64 = (bytes) => hash("sha256", bytes, "base64");
  return remembering;
}

/** Nobody writes into them any more, as into a buffer that is used again. */
function isOwn(bytes: Uint8Array): boolean {
  return bytes.length === bytes.buffer.byteLength;
}
