// All that one instance of the core knows. The wasm holds one engine and no other state that a step can change.

import { Instant, Options } from "../../build/bindings/types";
import { Call } from "./call";
import { Sizes } from "./container/sizes";
import { ContainerStore } from "./container/store";
import { EventRing } from "./event/ring";
import { ExecStore } from "./exec/store";
import { Monitor } from "./health/monitor";
import { Ids } from "./ids";
import { ImageStore } from "./image/store";
import { NetworkStore } from "./network/store";
import { SetAside } from "./records/set-aside";
import { Steps } from "./task";
import { VolumeStore } from "./volume/store";

export class Engine {
  options!: Options;
  /** The time of this step. */
  now: Instant = new Instant(0, 0);
  /** Identity of this installation, shown in `/info`; kept in the record `engine/id`. */
  id: string = "";
  readonly ids: Ids = new Ids();
  readonly steps: Steps = new Steps();
  /** Records that cannot be used. */
  readonly setAside: SetAside = new SetAside();
  /** Requests that are not fully answered and want to hear of their clients. */
  readonly calls: Map<u64, Call> = new Map<u64, Call>();
  /** Containers, or networks, are being pruned: one prune at a time (surface §2.23). */
  pruning: bool = false;
  readonly containers: ContainerStore = new ContainerStore();
  readonly execs: ExecStore = new ExecStore();
  /** By container. */
  readonly monitors: Map<string, Monitor> = new Map<string, Monitor>();
  readonly sizes: Sizes = new Sizes();
  readonly images: ImageStore = new ImageStore();
  readonly networks: NetworkStore = new NetworkStore();
  readonly volumes: VolumeStore = new VolumeStore();
  readonly events: EventRing = new EventRing();
}

export const engine: Engine = new Engine();
