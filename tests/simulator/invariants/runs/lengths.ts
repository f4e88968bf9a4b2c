// How long runs have lasted, by the machine's monotonic clock: the time of day may be set, and goes on while it sleeps.

import type { engine, types } from "../../../../hosts/shared/host.js";
import { type Ledger, parsed } from "../../ledger.js";
import type { Seen } from "../invariant.js";

type Stamp = "startedAt" | "finishedAt";

export class RunLengths {
  /** By container. Engines come and go, the clock goes on. */
  readonly #began = new Map<string, bigint>();

  /** Before anything is asked of this step. */
  stepped({ opening, notes, ledger, now }: Seen): void {
    if (opening !== null) this.#opened(opening.records);
    for (const note of notes) {
      if (note.tag !== "moved" || note.val.rule.cause !== "started") continue;
      const id = note.val.container;
      // One that came to life while no engine looked is known by its stamp.
      this.#began.set(
        id,
        now.monotonic - (opening === null ? 0n : notNegative(now.wall - stamp(ledger, id, "startedAt"))),
      );
    }
  }

  /** Of one that goes on. */
  at(id: string, { monotonic }: types.Instant): bigint {
    return monotonic - this.#begunBy(id, monotonic);
  }

  /**
   * Of one whose end the step was told. While no engine looked, stamps tell; where the machine still has something of it,
   * and so was not restarted, the clock sets a bound to them.
   */
  ended(id: string, { opening, ledger, now }: Seen): bigint {
    const most = this.at(id, now);
    if (opening === null) return most;
    const stamped = notNegative(stamp(ledger, id, "finishedAt") - stamp(ledger, id, "startedAt"));
    const isFound = opening.inventory.processes.some((one) => one.container === id && one.state.tag !== "unstarted");
    return !isFound || most < 0n || stamped < most ? stamped : most;
  }

  /** Of those whose beginning was not looked at, records tell it. */
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

/** To the nanosecond, which no number of JavaScript's is. */
function stamp(ledger: Ledger, id: string, member: Stamp): bigint {
  return BigInt(new RegExp(`"${member}":(-?\\d+)`).exec(ledger.text(`container/${id}`))?.[1] ?? "0");
}

function notNegative(ns: bigint): bigint {
  return ns < 0n ? 0n : ns;
}
