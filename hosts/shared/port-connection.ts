// Connections to published ports, from outside a host's machine.

/** A TCP connection to a published port, or datagrams to a published UDP port: then each chunk is one. */
export interface PortConnection {
  /** What the container sends. */
  readonly readable: ReadableStream<Uint8Array>;
  /** What it gets. Closing it is the half-close of TCP. */
  readonly writable: WritableStream<Uint8Array>;
}
