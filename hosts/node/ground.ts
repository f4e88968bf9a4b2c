// What the daemon puts its engine on: a machine, real or simulated.

import type { PlainDoor } from "../engine/index.js";
import type { Host, engine } from "../shared/host.js";
import type { DaemonConfig } from "./config/config.js";
import type { Log } from "./log.js";

export interface Ground {
  host: Host;
  /** Loads the images that a new engine has from the start. */
  loadImages(door: PlainDoor, log: Log): Promise<void>;
  /** Offers the runtimes that are configured now. Throws `ConfigError`; nothing has changed then. */
  offer(config: DaemonConfig): Promise<void>;
  /** Whether the other end of a socket is closed for good, not only for writing; none where that cannot be told. */
  hasHungUp?: (descriptor: number) => boolean;
  /** Who is at the other end of a socket; none where that cannot be told. */
  peerOf?: (descriptor: number) => engine.Peer;
  /** Hands memory of this process back to its system; none where that cannot be done. */
  memory?: ProcessMemory;
  /** Printed under the first line of the greeting. */
  remarks: readonly string[];
}

export interface ProcessMemory {
  /** Whole pages of zeros: read again, they are zeros still. */
  handBack(pages: Uint8Array): void;
  /** Has libc's heap keep less for later, from the start. */
  bound(): void;
  /** What it keeps nevertheless. */
  trim(): Promise<void>;
}

/** Closes something that was opened: in reverse. */
export type Closing = () => unknown;

/** Adds to `closings` as it goes. */
export type OpenGround = (config: DaemonConfig, closings: Closing[], log: Log) => Promise<Ground>;
