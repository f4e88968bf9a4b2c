// Connections to published ports, from outside a host's machine.

/** A TCP connection to a published port. */
export interface PortConnection {
  /** What the container sends. */
  readonly readable: ReadableStream<Uint8Array>;
  /** What it gets. Closing it is the half-close. */
  readonly writable: WritableStream<Uint8Array>;
}
