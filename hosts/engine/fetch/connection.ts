// The result of `connect`.

/** A connection that was taken off HTTP: attach, and other requests that answer 101 or hijack. */
export interface Connection {
  /** 101 or 200; otherwise the status of the refusal, whose body is in `refusal`. */
  readonly status: number;
  /** Headers of the answer. */
  readonly headers: Headers;
  /** The body of an answer that did not take the connection off HTTP; otherwise null. */
  readonly refusal: string | null;
  /** The container's output: raw with a terminal, otherwise in frames with headers of eight bytes. */
  readonly readable: ReadableStream<Uint8Array>;
  /** The container's input. Closing it is the half-close. */
  readonly writable: WritableStream<Uint8Array>;
}
