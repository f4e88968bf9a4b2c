// What every command may need of the instance it runs in: its options, the time, ids, and the steps under way. What there
// is of a noun stands in the store of its folder. The wasm holds one of each.

import { Instant, Options } from "../../build/bindings/types";
import { Ids } from "./ids";
import { Steps } from "./task";

export class Engine {
  options!: Options;
  /** The time of this step. */
  now: Instant = new Instant(0, 0);
  /** Identity of this installation, shown in `/info`; kept in the record `engine/id`. */
  id: string = "";
  readonly ids: Ids = new Ids();
  readonly steps: Steps = new Steps();
  /** Containers, or networks, are being pruned: one prune at a time (surface §2.23). */
  pruning: bool = false;
}

export const engine: Engine = new Engine();
