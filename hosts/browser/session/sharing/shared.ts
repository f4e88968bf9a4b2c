// The format of a shared session.

import type { EnteredAction } from "../action.js";
import type { KeptCell } from "../notebook.js";

export interface Shared {
  /** Hash of the core. */
  readonly core: string;
  readonly seed: number;
  readonly images: readonly string[];
  readonly cells: readonly KeptCell[];
  readonly actions: readonly EnteredAction[];
  /** When it was shared, in monotonic nanoseconds of the world. */
  readonly until: bigint;
  /** Hash of all its steps. */
  readonly state: string;
}
