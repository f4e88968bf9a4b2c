// The ways of a reply to the client: through Node's server, or straight onto the socket.

import type { replies } from "../../shared/host.js";

export interface Response {
  readonly headSent: boolean;
  /** The last byte has been handed over. */
  readonly ended: boolean;
  whole(head: replies.Head, body: Uint8Array): void;
  /** Sends the head at once. */
  open(head: replies.Head): void;
  /** `sent` is told whether the bytes went out, and when they may be overwritten. */
  write(bytes: Uint8Array, sent: (wentOut: boolean) => void): void;
  end(): void;
  /** `finished`: all of it has gone to the socket. `closed`: it never will. One of them is called, once. */
  onEnd(finished: () => void, closed: () => void): void;
}
