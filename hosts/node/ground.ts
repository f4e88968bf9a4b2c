// What the daemon puts its engine on: a machine, real or simulated.

import type { Host, engine } from "../host.js";
import type { DaemonConfig } from "./config.js";
import type { InternalReply, InternalRequest } from "./internal-request.js";
import type { Log } from "./log.js";

/** Sends a request to the engine itself. */
export type Ask = (request: InternalRequest) => Promise<InternalReply>;

export interface Ground {
  host: Host;
  /** Loads the images that a new engine has from the start. */
  loadImages(ask: Ask, log: Log): Promise<void>;
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

/** Something that was opened, to be closed in reverse. `since`: when the end was asked for, by the system's monotonic clock. */
export type Closing = (since: bigint) => unknown;

/** Adds to `closings` as it goes. */
export type OpenGround = (config: DaemonConfig, closings: Closing[], log: Log) => Promise<Ground>;
