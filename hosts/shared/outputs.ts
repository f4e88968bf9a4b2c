// The outputs of the core's steps: records, effects, replies.

import type { content, networks, processes, records, replies, timers, volumes } from "./host.js";
import type { Operation, RecordChange, RequestId } from "./host.js";

/** One thing for a host to do. */
export type HostEffect =
  | { to: "processes"; op: Operation; command: processes.ProcessCommand }
  | { to: "content"; op: Operation; command: content.ContentCommand }
  | { to: "networks"; op: Operation; command: networks.NetworkCommand }
  | { to: "volumes"; op: Operation; command: volumes.VolumeCommand }
  | { to: "records"; op: Operation; command: records.RecordCommandRead };

/** One effect of a step, including timers. */
export type Effect = HostEffect | { to: "timers"; op: Operation; command: timers.TimerCommand };

/** A part of the answer to a request. */
export interface Reply {
  request: RequestId;
  command: replies.ReplyCommand;
}

/** The outputs of one step. */
export interface StepOutputs {
  /** One transaction, in order. */
  records: RecordChange[];
  /** In the order in which they must start. */
  effects: Effect[];
  /** In the order in which they must be sent. */
  replies: Reply[];
}
