// Caches digests of bytes that often recur. A client that repeats its request usually gets the same reply, and
// comparing bytes is faster than hashing them.

/** A synchronous function whose result depends only on the bytes. */
export type Digest = (bytes: Uint8Array) => Uint8Array;

/** Longer bytes are not cached. */
const MOST = 256 * 1024;
/** The most entries in the cache, one for each length. */
const MOST_KEPT = 16;

/** A caching `digest`. Callers must not change the bytes later, unless these are a part of a larger buffer. */
export function remembering(digest: Digest): Digest {
  // Only where the platform has a fast comparison.
  if (typeof Buffer !== "function") return digest;
  const known = new Map<number, { bytes: Uint8Array; digest: Uint8Array }>();
  return (bytes) => {
    const { length } = bytes;
    if (length > MOST) return digest(bytes);
    const found = known.get(length);
    if (found !== undefined && Buffer.compare(found.bytes, bytes) === 0) return found.digest;
    const made = digest(bytes);
    known.delete(length);
    known.set(length, { bytes: length === bytes.buffer.byteLength ? bytes : bytes.slice(), digest: made });
    if (known.size > MOST_KEPT) known.delete(known.keys().next().value!);
    return made;
  };
}
