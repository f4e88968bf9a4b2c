// What `connect` gives.

/** A connection taken off HTTP: attach, and what else answers 101 or hijacks. */
export interface Connection {
  /** 101 or 200; or the refusal, with its body in `refusal`. */
  readonly status: number;
  /** Headers of the answer. */
  readonly headers: Headers;
  /** The body of an answer that took nothing off HTTP; else null. */
  readonly refusal: string | null;
  /** What the container writes: raw with a terminal, else in frames of eight header bytes. */
  readonly readable: ReadableStream<Uint8Array>;
  /** What the container reads; closing it is the half-close. */
  readonly writable: WritableStream<Uint8Array>;
}
