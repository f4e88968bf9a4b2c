// Decoders of compressed bytes in libraries of the machine. They work on the calling thread.

/** A decoder of one stream. */
export interface Decoder {
  /**
   * Decodes the input from an offset on, as much as there is room for in the output. Returns up to where it has read,
   * and how much it has written. `isWhole`: a frame or member has ended there. Throws the library's message if the
   * bytes make no sense.
   */
  decode(from: Uint8Array, at: number, into: Uint8Array): Decoded;
  /** Frees its memory. */
  close(): void;
}

export interface Decoded {
  read: number;
  written: number;
  isWhole: boolean;
}
