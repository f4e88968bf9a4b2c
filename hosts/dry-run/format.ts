// What a dry run would do, as JSON: version 2 of the form. `Coracle-Dry-Run: plan` on a request has it in place of the
// answer; `GET /coracle/dry-run` on a listener of dry runs has it of the session so far, and `Coracle-Dry-Run: plan` there
// what that request would add to it.
//
//   {"format":"coracle-dry-run","version":2,"began":TIME,"now":TIME,"answer":ANSWER,"left":N,"plan":[ENTRY, …]}
//
// `began`: when the state of the live engine was taken; null for a session that has decided nothing yet. `now`: the dry
// run's own time, which is ahead of the live engine's by what was waited for. `answer` is there for a single request. The
// plan is in order; it holds the newest 10,000 entries, `left` counts older ones that were left out.
//
// An ENTRY has `at`, a TIME, and one more member:
//   "request"  {"id":N,"method":TEXT,"target":TEXT}             a client asks; numbered from 1
//   "record"   {"put":KEY,"value":BYTES}, {"delete":KEY}, or of the journal {"append":POSITION,"value":BYTES}
//              would be made durable; those between two other entries together
//   "effect"   {"to":TEXT,"command":TEXT,"with":VALUE,"how":TEXT,"outcome":OUTCOME}
//              `to` and `command` as in core/wit: the interface and the case of its variant; `with` is the case's value,
//              left out if it has none. `how` is "asked": the machine or a registry was really asked; "imagined": it was
//              not done and taken to have succeeded; or "timer". `outcome` comes when the command has ended: VALUE, or
//              {"failure":VALUE} (core/wit/failures.wit).
//   "event"    as GET /events has it
//   "ended"    {"container":ID,"run":N,"code":N} or {"exec":ID,"code":N}    a process ended: killed, or waited for
//   "answer"   {"id":N,"status":N}                              the head of a client's answer
//
// TIME is RFC 3339 with nanoseconds, in UTC. ANSWER is {"status":N,"headers":{NAME:TEXT},"body":BYTES}, the names in lower
// case; a body beyond 1 MiB is cut, and `"cut":true` says so. VALUE is a value of core/wit: records as objects, names in camelCase, none left out;
// variants as {"tag":…,"val":…}; 64-bit numbers as text, in decimal; timers' `at` as TIME; and
// BYTES are {"json":…} for a JSON document, {"text":…} for other UTF-8, {"base64":…} (RFC 4648 §4) for all else. Whole
// numbers beyond 2^53 in documents and events are texts, too.
// Credentials are left out: fields `credentials` of commands, tokens of outcomes, what is secret in a target. What
// containers are given in their environment is there, as in GET /containers/{id}/json.
//
// What the live engine has under way when a dry run begins is taken to succeed; what follows from it is in the plan, too.
// Ids that a dry run gives are those that the live engine would give if it were asked next; it will, unless it is asked
// something else before. DiffIDs of commits, and what follows from them, are made up.

/** What would be done. */
export interface Plan {
  /** Of this form. */
  format: "coracle-dry-run";
  /** Of this form. */
  version: 2;
  /** When the state of the live engine was taken, RFC 3339; null: nothing has been decided yet. */
  began: string | null;
  /** The dry run's own time, RFC 3339. */
  now: string | null;
  /** Of a single request. */
  answer?: PlannedAnswer;
  /** Entries that were left out. */
  left: number;
  /** In order. */
  plan: PlanEntry[];
}

/** The answer to a single request. */
export interface PlannedAnswer {
  /** HTTP status. */
  status: number;
  /** By names in lower case. */
  headers: Record<string, string>;
  /** Its first 1 MiB. */
  body: PlannedBytes;
  /** There was more. */
  cut?: true;
}

/** Bytes, as far as they can be read. */
export type PlannedBytes = { json: unknown } | { text: string } | { base64: string };

/** One thing that would happen. */
export type PlanEntry = { at: string } & (
  | { request: { id: number; method: string; target: string } }
  | { record: PlannedRecord }
  | { effect: PlannedEffect }
  | { event: unknown }
  | { ended: { container: string; run: number; code: number } | { exec: string; code: number } }
  | { answer: { id: number; status: number } }
);

/** A change of what is durable; `append` has the entry's position. */
export type PlannedRecord =
  { put: string; value: PlannedBytes } | { delete: string } | { append: string; value: PlannedBytes };

/** A command to the host. */
export interface PlannedEffect {
  /** The interface: `processes`. */
  to: string;
  /** The case of its variant: `launch`. */
  command: string;
  /** The case's value. */
  with?: unknown;
  /** Whether the machine or a registry was asked. */
  how: "asked" | "imagined" | "timer";
  /** Of one that has ended. */
  outcome?: unknown;
}
