// A cell of the notebook: a request to edit and send, and what came of each sending.

import type { ReadonlySignal } from "@preact/signals-core";
import type { Exchange } from "./exchange.js";
import type { WrittenRequest } from "./request.js";

export interface Cell {
  /** `c1`, `c2`… never used twice in a session. */
  readonly id: string;
  /** What the next sending will send. */
  readonly request: ReadonlySignal<WrittenRequest>;
  /** Oldest first. */
  readonly exchanges: ReadonlySignal<readonly Exchange[]>;
}
