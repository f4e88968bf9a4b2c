// Bytes of zstd without a program that compresses.

/** A zstd frame of raw blocks (RFC 8878 §3.1.1): stored, not compressed, which every decoder must accept. */
export function zstdFrame(bytes: Buffer): Buffer {
  const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0]);
  head.writeUInt32LE(bytes.length, 5);
  const blocks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 65_536) {
    const block = bytes.subarray(at, at + 65_536);
    const last = at + 65_536 >= bytes.length ? 1 : 0;
    const header = Buffer.alloc(3);
    header.writeUIntLE((block.length << 3) | last, 0, 3);
    blocks.push(header, block);
  }
  return Buffer.concat([head, ...blocks]);
}

/** A frame that decoders skip (RFC 8878 §3.1.2): zstd:chunked puts its table of contents into one. */
export function skippableFrame(bytes: Buffer): Buffer {
  const head = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0]);
  head.writeUInt32LE(bytes.length, 4);
  return Buffer.concat([head, bytes]);
}
