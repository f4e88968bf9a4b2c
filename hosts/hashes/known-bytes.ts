// Caches digests of bytes that often recur. A client that repeats its request usually gets the same reply, and
// comparing bytes is faster than hashing them.

/** A synchronous function whose result depends only on the bytes. */
export type Digest = (bytes: Uint8Array) => Uint8Array;

/** Longer bytes are kept only one at a time: the last, which a client that asks again for a long list gets again. */
const SHORT = 256 * 1024;
/** Still longer bytes are not kept. */
const MOST = 2 << 20;
/** The most entries of short bytes in the cache, one for each length. */
const MOST_KEPT = 16;

/** A caching `digest`. Callers must not change the bytes later, unless these are a part of a larger buffer. */
export function remembering(digest: Digest): Digest {
  // Only where the platform has a fast comparison.
  if (typeof Buffer !== "function") return digest;
  const known = new Map<number, Known>();
  let long: Known | undefined;
  return (bytes) => {
    const { length } = bytes;
    if (length > MOST) return digest(bytes);
    const found = length > SHORT ? long : known.get(length);
    if (found !== undefined && Buffer.compare(found.bytes, bytes) === 0) return found.digest;
    const made = { bytes: length === bytes.buffer.byteLength ? bytes : bytes.slice(), digest: digest(bytes) };
    if (length > SHORT) long = made;
    else keep(known, made);
    return made.digest;
  };
}

interface Known {
  bytes: Uint8Array;
  digest: Uint8Array;
}

function keep(known: Map<number, Known>, made: Known): void {
  const { length } = made.bytes;
  known.delete(length);
  known.set(length, made);
  if (known.size > MOST_KEPT) known.delete(known.keys().next().value!);
}
