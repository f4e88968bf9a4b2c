// The parts of the package that do not depend on streams.

declare module "unbzip2-stream/lib/bit_iterator.js" {
  export interface BitReader {
    (bits: number | null): number;
    bytesRead: number;
  }
  export default function bitReader(next: () => Uint8Array | undefined): BitReader;
}

declare module "unbzip2-stream/lib/bzip2.js" {
  import type { BitReader } from "unbzip2-stream/lib/bit_iterator.js";
  const bzip2: {
    /** Block size in units of 100,000 bytes. */
    header(bits: BitReader): number;
    /** The checksum so far; null after the end mark, which is not a block. */
    decompress(
      bits: BitReader,
      take: (byte: number) => void,
      buffer: Int32Array,
      length: number,
      sum: number | null,
    ): number | null;
  };
  export default bzip2;
}
