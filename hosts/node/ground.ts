// The machine that the daemon runs its engine on, real or simulated.

import type { PlainDoor } from "../engine/index.js";
import type { Host, engine } from "../shared/index.js";
import type { DaemonConfig } from "./config/config.js";
import type { Log } from "./log.js";

export interface Ground {
  host: Host;
  /** Loads the images that a new engine has from the start. */
  loadImages(door: PlainDoor, log: Log): Promise<void>;
  /** Offers the runtimes of a new configuration. Throws `ConfigError`, and then nothing has changed. */
  offer(config: DaemonConfig): Promise<void>;
  /** Whether a socket's other end is closed completely, not only for writing. Missing if that is not known. */
  hasHungUp?: (descriptor: number) => boolean;
  /** The process at the other end of a socket. Missing if that is not known. */
  peerOf?: (descriptor: number) => engine.Peer;
  /** A file of the host that is mapped, if no thread will map it elsewhere in this turn of the event loop. */
  quietFile?: () => string | null;
  /** Returns this process's memory to the system. Missing if that is not possible. */
  memory?: ProcessMemory;
  /** Printed below the first line of the greeting. */
  remarks: readonly string[];
}

export interface ProcessMemory {
  /** Size of the system's pages. */
  readonly pageBytes: number;
  /** Memory of this process that no file has. */
  readonly ownBytes: number;
  /** Gives back whole pages of zeros. They still read as zeros. */
  handBack(pages: Uint8Array): void;
  /** Gives back the pages of a file that is mapped and shared. They are read again when they are needed. */
  handBackFile(path: string): void;
  /** Gives back the pages of the program. They are read again when they are needed. */
  handBackProgram(): void;
  /** From the start, limits how much freed memory libc's heap keeps. */
  bound(): void;
  /** Returns what it has kept nevertheless. */
  trim(): Promise<void>;
}

/** Closes something that was opened. Closings run in reverse order. */
export type Closing = () => unknown;

/** Adds to `closings` on the way. */
export type OpenGround = (config: DaemonConfig, closings: Closing[], log: Log) => Promise<Ground>;
