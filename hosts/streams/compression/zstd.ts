// Decompression of zstd, as the bytes arrive.

import { Decompress } from "fzstd";

/** Returns a function that takes the compressed bytes, and gives what they decompress to to `out`. */
export function unzstd(out: (bytes: Uint8Array) => void): (bytes: Uint8Array, final: boolean) => void {
  const decoder = new Decompress(out);
  return (bytes, final) => decoder.push(bytes, final);
}
