// The table of the container's states: which cause leads from which status to which. Nothing else changes a status.

import { Rule } from "../../../build/bindings/types";

/** Status of a container. Transitional states have their own names here; clients see the word from `wordOf`. */
export enum Status {
  Created,
  Starting,
  Unwinding,
  Running,
  Paused,
  Releasing,
  Exited,
  Removing,
  Dead,
  Removed,
  Recycling,
  Restarting,
}

export enum Cause {
  Start,
  Started,
  StartFailed,
  Undone,
  Pause,
  Unpause,
  Exit,
  Released,
  Remove,
  RemoveFailed,
  RemoveDone,
  Recycle,
  Elapsed,
  Cancel,
}

/** Names of statuses and causes, for explanations. */
export const STATUS_NAMES: string[] = [
  "created",
  "starting",
  "unwinding",
  "running",
  "paused",
  "releasing",
  "exited",
  "removing",
  "dead",
  "removed",
  "recycling",
  "restarting",
];
export const CAUSE_NAMES: string[] = [
  "start",
  "started",
  "start-failed",
  "undone",
  "pause",
  "unpause",
  "exit",
  "released",
  "remove",
  "remove-failed",
  "remove-done",
  "recycle",
  "elapsed",
  "cancel",
];
export const ILLEGAL: i32 = -1;

// One rule per row, in the order of a container's life: from, cause, to.
// prettier-ignore
const RULES: StaticArray<i32> = [
  Status.Created,   Cause.Start,        Status.Starting,
  Status.Exited,    Cause.Start,        Status.Starting,
  Status.Starting,  Cause.Started,      Status.Running,
  Status.Starting,  Cause.StartFailed,  Status.Unwinding,
  Status.Unwinding, Cause.Undone,       Status.Created,     // the container never ran
  Status.Unwinding, Cause.Released,     Status.Exited,      // the container ran before
  Status.Running,   Cause.Pause,        Status.Paused,
  Status.Paused,    Cause.Unpause,      Status.Running,
  Status.Running,   Cause.Exit,         Status.Releasing,
  Status.Paused,    Cause.Exit,         Status.Releasing,   // SIGKILL reaches a frozen cgroup
  Status.Releasing, Cause.Released,     Status.Exited,
  Status.Running,   Cause.Recycle,      Status.Recycling,   // the restart policy starts another run
  Status.Paused,    Cause.Recycle,      Status.Recycling,
  Status.Recycling, Cause.Released,     Status.Restarting,
  Status.Restarting, Cause.Elapsed,     Status.Starting,
  Status.Recycling, Cause.Cancel,       Status.Releasing,
  Status.Restarting, Cause.Cancel,      Status.Exited,
  Status.Created,   Cause.Remove,       Status.Removing,
  Status.Exited,    Cause.Remove,       Status.Removing,
  Status.Dead,      Cause.Remove,       Status.Removing,
  Status.Removing,  Cause.RemoveFailed, Status.Dead,
  Status.Removing,  Cause.RemoveDone,   Status.Removed,
];

/** All rules, in the table's order. */
export function ruleTable(): Rule[] {
  const rules: Rule[] = [];
  for (let i = 0; i < RULES.length; i += 3) rules.push(ruleOf(RULES[i], RULES[i + 1], RULES[i + 2]));
  return rules;
}

/** A rule, with names instead of numbers. */
export function ruleOf(from: i32, cause: i32, to: i32): Rule {
  return new Rule(STATUS_NAMES[from], CAUSE_NAMES[cause], STATUS_NAMES[to]);
}

/** The next status, or `ILLEGAL` if no rule allows the cause. */
export function next(from: i32, cause: i32): i32 {
  for (let i = 0; i < RULES.length; i += 3) {
    if (RULES[i] == from && RULES[i + 1] == cause) return RULES[i + 2];
  }
  return ILLEGAL;
}

/** Docker's words for statuses. */
export const STATUS_WORDS: string[] = ["created", "running", "paused", "restarting", "removing", "exited", "dead"];

/** Docker's word for a status (`State.Status`). */
export function wordOf(status: Status, everRan: bool): string {
  switch (status) {
    case Status.Running:
      return "running";
    case Status.Paused:
      return "paused";
    case Status.Recycling:
    case Status.Restarting:
      return "restarting";
    case Status.Removing:
    case Status.Removed:
      return "removing";
    case Status.Dead:
      return "dead";
    default:
      return everRan ? "exited" : "created";
  }
}
