// Measures how long runs have lasted, by the machine's monotonic clock: the time of day may be set, and advances
// during sleep.

import type { engine, types } from "../../../../hosts/shared/host.js";
import { type Ledger, parsed } from "../../ledger.js";
import type { Seen } from "../invariant.js";

type Stamp = "startedAt" | "finishedAt";

export class RunLengths {
  /** Monotonic start times, by container. They stay valid after a restart of the engine. */
  readonly #began = new Map<string, bigint>();

  /** Must be called before any other method in this step. */
  stepped({ opening, notes, ledger, now }: Seen): void {
    if (opening !== null) this.#opened(opening.records);
    for (const note of notes) {
      if (note.tag !== "moved" || note.val.rule.cause !== "started") continue;
      const id = note.val.container;
      // A run that started while no engine ran has only a timestamp.
      this.#began.set(
        id,
        now.monotonic - (opening === null ? 0n : notNegative(now.wall - stamp(ledger, id, "startedAt"))),
      );
    }
  }

  /** The length of a current run. */
  at(id: string, { monotonic }: types.Instant): bigint {
    return monotonic - this.#begunBy(id, monotonic);
  }

  /**
   * The length of a run whose end the step reports. If no engine ran, it is computed from timestamps. If the machine
   * still has its process, and so was not rebooted, the clock limits it.
   */
  ended(id: string, { opening, ledger, now }: Seen): bigint {
    const most = this.at(id, now);
    if (opening === null) return most;
    const stamped = notNegative(stamp(ledger, id, "finishedAt") - stamp(ledger, id, "startedAt"));
    const isFound = opening.inventory.processes.some((one) => one.container === id && one.state.tag !== "unstarted");
    return !isFound || most < 0n || stamped < most ? stamped : most;
  }

  /** Takes the start times of unknown runs from the records. */
  #opened(records: readonly engine.Stored[]): void {
    for (const { key, value } of records) {
      if (!key.startsWith("container/")) continue;
      const { id, begunAt } = parsed(value) as { id: string; begunAt?: number };
      if (begunAt !== undefined && !this.#began.has(id)) this.#began.set(id, BigInt(begunAt));
    }
  }

  #begunBy(id: string, now: bigint): bigint {
    return this.#began.get(id) ?? now;
  }
}

/** Reads a timestamp from the text, since a JavaScript number is not exact to the nanosecond. */
function stamp(ledger: Ledger, id: string, member: Stamp): bigint {
  return BigInt(new RegExp(`"${member}":(-?\\d+)`).exec(ledger.text(`container/${id}`))?.[1] ?? "0");
}

function notNegative(ns: bigint): bigint {
  return ns < 0n ? 0n : ns;
}
