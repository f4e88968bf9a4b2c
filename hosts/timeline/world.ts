// The world as the engine knows it, at one step: folded from what its steps put into records and sent as events.

import type { engine } from "../shared/host.js";
import type { EventList } from "./event-list.js";

export interface PortView {
  readonly container: number;
  readonly protocol: string;
  /** 0.0.0.0 for all addresses. */
  readonly address: string;
  readonly host: number;
}

export interface ContainerView {
  readonly id: string;
  readonly name: string;
  /** As it was asked for: `busybox:latest`. */
  readonly image: string;
  readonly imageId: string;
  readonly command: readonly string[];
  /** A status of the state diagram, in-between ones too: `created`, `starting`, `running`, `releasing`, `exited`… */
  readonly status: string;
  /** The rule that moved it last; null if it has not moved yet, or not since the engine was started. */
  readonly rule: engine.Rule | null;
  /** Number of its last run; 0 for none. */
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
  readonly network: string;
  readonly address: string;
  readonly volumes: readonly { name: string; destination: string }[];
  readonly labels: Readonly<Record<string, string>>;
  readonly tty: boolean;
  readonly autoRemove: boolean;
}

export interface LayerView {
  readonly chain: string;
  readonly diffId: string;
  /** How many images stand on it. */
  readonly sharedBy: number;
}

export interface ImageView {
  /** `sha256:` and 64 digits. */
  readonly id: string;
  /** `busybox:latest`; several, or none. */
  readonly tags: readonly string[];
  readonly digests: readonly string[];
  /** Base first. */
  readonly layers: readonly LayerView[];
  readonly created: string;
  /** Image it was committed from; empty for none. */
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

/** Equal parts of successive worlds are the same objects. */
export interface World {
  readonly containers: readonly ContainerView[];
  readonly images: readonly ImageView[];
  readonly networks: readonly NetworkView[];
  readonly volumes: readonly VolumeView[];
  readonly events: EventList;
  /** Whether the engine was up. */
  readonly engine: "up" | "down";
}

/** One thing that a step changed: `fields` of it, or all of it if it came or went. */
export interface Change {
  readonly of: "container" | "image" | "network" | "volume" | "event" | "engine";
  readonly id: string;
  readonly how: "came" | "changed" | "went";
  readonly fields: readonly string[];
}
