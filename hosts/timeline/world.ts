// The world as the engine knows it at one step, folded from the records and events of its steps.

import type { engine } from "../shared/index.js";
import type { EventList } from "./event-list.js";

export interface PortView {
  readonly container: number;
  readonly protocol: string;
  /** 0.0.0.0 means all addresses. */
  readonly address: string;
  readonly host: number;
}

export interface ContainerView {
  readonly id: string;
  readonly name: string;
  /** The name in the request: `busybox:latest`. */
  readonly image: string;
  readonly imageId: string;
  readonly command: readonly string[];
  /**
   * A status of the state diagram, including transitional ones: `created`, `starting`, `running`, `releasing`,
   * `exited`…
   */
  readonly status: string;
  /** The last rule that changed its status; null if there was none yet, or none since the engine started. */
  readonly rule: engine.Rule | null;
  /** Number of its last run; 0 if none. */
  readonly run: number;
  readonly pid: number;
  /** Null until it has ended once. */
  readonly exitCode: number | null;
  readonly outOfMemory: boolean;
  readonly error: string;
  /** Nanoseconds since 1970; 0 for never. */
  readonly created: bigint;
  readonly startedAt: bigint;
  readonly finishedAt: bigint;
  readonly ports: readonly PortView[];
  /** Its networks, as a client named them; without addresses unless it is running. */
  readonly networks: readonly { readonly name: string; readonly address: string }[];
  readonly volumes: readonly { name: string; destination: string }[];
  readonly labels: Readonly<Record<string, string>>;
  readonly tty: boolean;
  readonly autoRemove: boolean;
}

export interface LayerView {
  readonly chain: string;
  readonly diffId: string;
  /** How many images use it. */
  readonly sharedBy: number;
}

export interface ImageView {
  /** `sha256:` and 64 digits. */
  readonly id: string;
  /** `busybox:latest`; several, or none. */
  readonly tags: readonly string[];
  readonly digests: readonly string[];
  /** The base layer first. */
  readonly layers: readonly LayerView[];
  readonly created: string;
  /** The image that it was committed from; empty if none. */
  readonly parent: string;
}

export interface NetworkView {
  readonly id: string;
  readonly name: string;
  readonly driver: string;
  readonly subnet: string;
  readonly gateway: string;
  /** Ids of the containers that are on it. */
  readonly containers: readonly string[];
}

export interface VolumeView {
  readonly name: string;
  readonly containers: readonly string[];
}

/** Equal parts of consecutive worlds are the same objects. */
export interface World {
  readonly containers: readonly ContainerView[];
  readonly images: readonly ImageView[];
  readonly networks: readonly NetworkView[];
  readonly volumes: readonly VolumeView[];
  readonly events: EventList;
  /** Whether the engine was up. */
  readonly engine: "up" | "down";
}

/** One thing that a step changed. `fields`: those that changed; empty if it was added or removed. */
export interface Change {
  readonly of: "container" | "image" | "network" | "volume" | "event" | "engine";
  readonly id: string;
  readonly how: "came" | "changed" | "went";
  readonly fields: readonly string[];
}
