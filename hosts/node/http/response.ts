// The two ways of a reply to the client: through Node's server, or directly to the socket.

import type { replies } from "../../shared/index.js";

export interface Response {
  readonly headSent: boolean;
  /** The last byte has been passed on. */
  readonly ended: boolean;
  /** `isStateless`: see `replies.wit`. */
  whole(head: replies.Head, body: Uint8Array, isStateless: boolean): void;
  /** Sends the head at once. */
  open(head: replies.Head): void;
  /** `sent` is called when the bytes may be overwritten, with whether they went out. */
  write(bytes: Uint8Array, sent: (wentOut: boolean) => void): void;
  end(): void;
  /** `finished`: all of it has gone to the socket. `closed`: it never will. Exactly one of them is called, once. */
  onEnd(finished: () => void, closed: () => void): void;
}
