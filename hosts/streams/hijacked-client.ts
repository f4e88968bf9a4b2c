// What a client is whose connection was taken off HTTP, whatever carries it.

import type { replies } from "../shared/host.js";
import type { Client } from "./attach.js";

/** A client whose connection is off HTTP. */
export interface HijackedClient extends Client {
  /** Tells it that it is attached. */
  begin(head: replies.Head): void;
  /** Closes our side of the connection. */
  end(): void;
}
