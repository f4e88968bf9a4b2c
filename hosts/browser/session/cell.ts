// A cell of the notebook: an editable request, and the results of each sending.

import type { ReadonlySignal } from "@preact/signals-core";
import type { Exchange } from "./exchange.js";
import type { WrittenRequest } from "./request.js";

export interface Cell {
  /** `c1`, `c2`…; never reused in a session. */
  readonly id: string;
  /** The request that is sent next. */
  readonly request: ReadonlySignal<WrittenRequest>;
  /** Oldest first. */
  readonly exchanges: ReadonlySignal<readonly Exchange[]>;
}
