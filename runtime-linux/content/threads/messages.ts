// What the engine's thread and a thread for content tell each other. Every job has a port of its own.

import type { MessagePort } from "node:worker_threads";
import type { engine, failures } from "../../../hosts/shared/index.js";
import type { JobName } from "./workers.js";

/** A job begins. */
export interface Order {
  name: JobName;
  args: unknown;
  port: MessagePort;
}

/** Bytes in either direction. `room`: so many more may be sent. */
export type FlowMessage =
  | { tag: "piece"; bytes: Uint8Array }
  | { tag: "over"; failure: failures.Failure | null }
  | { tag: "room"; bytes: number };

/** To the job. */
export type ToJob = FlowMessage | { tag: "abort" } | { tag: "below"; directories: string[] | failures.Failure };

/** From the job. `asks-below`: for the layers below the one that it unpacks. */
export type FromJob =
  | FlowMessage
  | { tag: "told"; phase: engine.Phase; current: bigint; total: bigint }
  | { tag: "asks-below" }
  | { tag: "done"; val: unknown }
  | { tag: "failed"; failure: failures.Failure };
