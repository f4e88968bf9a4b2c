// Defines the plan of a dry run as JSON, version 2. A request with `Coracle-Dry-Run: plan` gets it instead of its
// answer. On a listener for dry runs, `GET /coracle/dry-run` returns the plan of the session so far, and
// `Coracle-Dry-Run: plan` returns what that request adds to it.
//
//   {"format":"coracle-dry-run","version":2,"began":TIME,"now":TIME,"answer":ANSWER,"left":N,"plan":[ENTRY, …]}
//
// `began`: when the live engine's state was copied; null for a session that has decided nothing yet. `now`: the dry
// run's own time, which is ahead of the live engine's by the waiting that was skipped. Only a single request has
// `answer`. The plan is in order, and holds the newest 10,000 entries. `left` counts older ones that were left out.
//
// An ENTRY has `at`, a TIME, and one more member:
//   "request"  {"id":N,"method":TEXT,"target":TEXT}             a client's request; numbered from 1
//   "record"   {"put":KEY,"value":BYTES}, {"delete":KEY}, or for the journal {"append":POSITION,"value":BYTES}
//              would become durable; those between two other entries belong to one transaction
//   "effect"   {"to":TEXT,"command":TEXT,"with":VALUE,"how":TEXT,"outcome":OUTCOME}
//              `to` and `command` as in core/wit: the interface and the case of its variant; `with` is the case's
//              value, left out if it has none. `how` is "asked": the machine or a registry was really asked;
//              "imagined": the command was not carried out, but counts as successful; or "timer". `outcome` is there
//              once the command has ended: VALUE, or {"failure":VALUE} (core/wit/failures.wit).
//   "event"    as in GET /events
//   "ended"    {"container":ID,"run":N,"code":N} or {"exec":ID,"code":N}    a process ended: killed, or awaited
//   "answer"   {"id":N,"status":N}                              the head of the answer to a client
//
// TIME is RFC 3339 with nanoseconds, in UTC. ANSWER is {"status":N,"headers":{NAME:TEXT},"body":BYTES}, with names in
// lower case; a body over 1 MiB is cut, and `"cut":true` says so. VALUE is a value of core/wit: records as objects,
// names in camelCase, absent options left out; variants as {"tag":…,"val":…}; 64-bit numbers as text, in decimal;
// timers' `at` as TIME. BYTES are {"json":…} for a JSON document, {"text":…} for other UTF-8, {"base64":…} (RFC 4648
// §4) for anything else. Whole numbers beyond 2^53 in documents and events are texts, too.
//
// Credentials are left out: fields `credentials` of commands, tokens of outcomes, secrets in a target. The environment
// of containers is included, as in GET /containers/{id}/json.
//
// Operations that are pending in the live engine when a dry run begins count as successful, and the plan includes what
// follows from them. A dry run gives the ids that the live engine would give to the same request if it came next.
// DiffIDs of commits, and everything that depends on them, are made up.

/** What would be done. */
export interface Plan {
  /** The name of this format. */
  format: "coracle-dry-run";
  /** The version of this format. */
  version: 2;
  /** When the live engine's state was copied, RFC 3339. Null if nothing has been decided yet. */
  began: string | null;
  /** The dry run's own time, RFC 3339. */
  now: string | null;
  /** The answer to a single request. */
  answer?: PlannedAnswer;
  /** Number of older entries that were left out. */
  left: number;
  /** The entries, in order. */
  plan: PlanEntry[];
}

/** The answer to a single request. */
export interface PlannedAnswer {
  /** HTTP status. */
  status: number;
  /** The headers, with names in lower case. */
  headers: Record<string, string>;
  /** The body, at most its first 1 MiB. */
  body: PlannedBytes;
  /** Set if the body was cut. */
  cut?: true;
}

/** Bytes, in the most readable form. */
export type PlannedBytes = { json: unknown } | { text: string } | { base64: string };

/** An entry of the plan. */
export type PlanEntry = { at: string } & (
  | { request: { id: number; method: string; target: string } }
  | { record: PlannedRecord }
  | { effect: PlannedEffect }
  | { event: unknown }
  | { ended: { container: string; run: number; code: number } | { exec: string; code: number } }
  | { answer: { id: number; status: number } }
);

/** A change of the durable records. `append` has the journal entry's position. */
export type PlannedRecord =
  | { put: string; value: PlannedBytes }
  | { delete: string }
  | { append: string; value: PlannedBytes };

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
  /** The outcome, if the command has ended. */
  outcome?: unknown;
}
