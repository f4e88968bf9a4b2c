// Bytes that are often the same as before, by their digests: who asks the same time and again is answered the same, as a
// rule, and to compare is quicker than to hash.

/** At once, and the same for the same bytes. */
export type Digest = (bytes: Uint8Array) => Uint8Array;

/** Bytes worth being kept for that. */
const MOST = 256 * 1024;
/** So many are kept, of different lengths. */
const MOST_KEPT = 16;

/** Of bytes that nobody writes into any more, unless they are a part of a buffer. */
export function remembering(digest: Digest): Digest {
  // Only where there is something that compares at once.
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
