// Checks that a request for the events of one moment returns them: `since` and `until` are inclusive, and a filter
// matches a prefix of a name, too.

import type { records, types } from "../../../../hosts/shared/host.js";
import { Breach } from "../../breach.js";
import { type JournalEvent, eventOf, timeIn } from "../journal.js";
import type { Copies } from "./copy.js";

const SECOND = 1_000_000_000n;

export interface Stamped extends JournalEvent {
  /** Nanoseconds since 1970. */
  at: bigint;
}

export function stampedIn(commands: readonly records.RecordCommand[]): Stamped[] {
  return commands.flatMap((command) => {
    if (command.tag !== "append") return [];
    return [{ ...eventOf(command.val.bytes), at: timeIn(command.val.bytes) }];
  });
}

/** Throws a `Breach`. */
export function expectEvents(copies: Copies, events: readonly Stamped[], now: types.Instant): void {
  // If the clock was set back, a moment may come again, and then more events may follow.
  const last = events.at(-1);
  if (last !== undefined && last.at <= now.wall) expectTold(copies, last, "");
  const named = events.findLast(({ type, at, attributes }) => {
    return type === "container" && at <= now.wall && (attributes.get("name")?.length ?? 0) > 1;
  });
  if (named === undefined) return;
  const beginning = named.attributes.get("name")!.slice(0, -1);
  expectTold(copies, named, `&filters=${encodeURIComponent(JSON.stringify({ container: [beginning] }))}`);
}

function expectTold(copies: Copies, { type, action, id, at }: Stamped, filters: string): void {
  const moment = `${at / SECOND}.${String(at % SECOND).padStart(9, "0")}`;
  const target = `/v1.55/events?since=${moment}&until=${moment}${filters}`;
  const { status, body, isWhole } = copies.ask("GET", target);
  if (status !== 200) broken(`GET ${target} gets ${status}`);
  const lines = body.split("\n").filter((line) => line.trim() !== "");
  const told = lines.map((line) => JSON.parse(line) as { Type: string; Action: string; Actor: { ID: string } });
  const isTold = told.some((one) => one.Type === type && one.Action === action && one.Actor.ID === id);
  // Events that are not in memory must be read first, so an incomplete answer is fine.
  if (!isTold && isWhole) broken(`GET ${target} lacks ${type} ${action} of ${id}`);
}

function broken(message: string): never {
  throw new Breach("asked", message);
}
