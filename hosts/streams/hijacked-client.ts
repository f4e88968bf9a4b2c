// A client whose connection was taken off HTTP, for any kind of connection.

import type { replies } from "../shared/index.js";
import type { Client } from "./attach.js";

/** A client whose connection is off HTTP. */
export interface HijackedClient extends Client {
  /** Tells the client that it is attached. */
  begin(head: replies.Head): void;
  /** Closes our side of the connection. */
  end(): void;
}
