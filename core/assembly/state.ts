// State that every command may need: the options, the time, ids, and the steps in progress. All objects of a noun are
// in the store of its folder. Each of these exists once per wasm instance.

import { Instant, Options } from "../../build/bindings/types";
import { Call } from "./call";
import { Ids } from "./ids";
import { Steps } from "./task";

export class Engine {
  options!: Options;
  /** The time of the current step. */
  now: Instant = new Instant(0, 0);
  /** Id of the installation, shown in `/info` and stored in the record `engine/id`. */
  id: string = "";
  readonly ids: Ids = new Ids();
  readonly steps: Steps = new Steps();
  /** A prune of containers or networks is in progress: there may be only one at a time (surface §2.23). */
  pruning: bool = false;
  /** The prune of networks that waits until containers have left them. */
  waitingPrune: Call | null = null;
  /** A prune of volumes is in progress. */
  pruningVolumes: bool = false;
}

export const engine: Engine = new Engine();
