// The parts of the package that know no streams.

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
    /** Size of blocks in hundreds of thousands of bytes. */
    header(bits: BitReader): number;
    /** Checksum so far; null after the last block, which is none. */
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
