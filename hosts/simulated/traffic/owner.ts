// The process that owns sockets.

import type { Clock } from "../../shared/index.js";
import type { FileSystem } from "../files/file-system.js";
import type { Holder } from "../processes/descriptors.js";

/** The process whose sockets they are. */
export interface Owner extends Holder {
  readonly ended: AbortSignal;
  readonly files: Pick<FileSystem, "read">;
  /** The world's time. */
  readonly clock: Clock;
  sleep(ns: bigint): Promise<void>;
}
