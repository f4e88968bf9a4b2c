// Checks the delays of restart policies: a tenth of a second at first, then twice as long each time, and at most a
// minute. They start again after a run of ten seconds, or when a client starts the container. No run starts earlier.

import { Breach } from "../../breach.js";
import { type Ledger, parsed, wordOf } from "../../ledger.js";
import type { Invariant, Seen } from "../invariant.js";
import { RunLengths } from "./lengths.js";

const FIRST = 100_000_000n;
const LONGEST = 60_000_000_000n;
const GOOD_RUN = 10_000_000_000n;

interface Policed {
  id: string;
  restartDelay: number;
  restartCount: number;
}

export class Delays implements Invariant {
  /** The last delay and the number of automatic restarts, by container. */
  readonly #last = new Map<string, { delay: bigint; count: number }>();
  /** The monotonic time when the next run may start. */
  readonly #due = new Map<string, bigint>();
  readonly #lengths = new RunLengths();

  stepped(seen: Seen): void {
    const { opening, notes, ledger, now } = seen;
    this.#lengths.stepped(seen);
    if (opening !== null) this.#opened(opening);
    const resumed = opening === null ? [] : [...this.#last.keys()].filter((id) => isWaiting(ledger, id));
    for (const note of notes) {
      if (note.tag !== "moved") continue;
      const { container: id, rule } = note.val;
      if (rule.cause === "start") this.#begun(id);
      if (rule.cause === "elapsed") this.#elapsed(id, now.monotonic);
      if (rule.cause !== "recycle") continue;
      this.#ended(id, seen);
      this.#wait(id, seen);
    }
    for (const id of resumed) if (!this.#due.has(id)) this.#wait(id, seen);
    this.#known(seen);
  }

  #opened({ records }: NonNullable<Seen["opening"]>): void {
    this.#last.clear();
    this.#due.clear();
    for (const { key, value } of records) {
      if (!key.startsWith("container/")) continue;
      const { id, restartDelay, restartCount: count } = parsed(value) as Policed;
      this.#last.set(id, { delay: BigInt(restartDelay), count });
    }
  }

  #begun(id: string): void {
    this.#last.set(id, { delay: 0n, count: 0 });
    this.#due.delete(id);
  }

  #ended(id: string, seen: Seen): void {
    const { delay, count } = this.#last.get(id) ?? { delay: 0n, count: 0 };
    const last = this.#lengths.ended(id, seen) >= GOOD_RUN ? 0n : delay;
    const next = last === 0n ? FIRST : last * 2n < LONGEST ? last * 2n : LONGEST;
    this.#last.set(id, { delay: next, count: count + 1 });
  }

  #wait(id: string, { outputs, now }: Seen): void {
    const { delay } = this.#last.get(id)!;
    const due = now.monotonic + delay;
    const isSet = outputs.effects.some(
      ({ to, command }) => to === "timers" && command.tag === "set" && command.val === due,
    );
    if (!isSet) broken(`the next run of ${id} is due in ${delay} ns, but no timer is set for then`);
    this.#due.set(id, due);
  }

  #elapsed(id: string, monotonic: bigint): void {
    const due = this.#due.get(id);
    if (due === undefined) broken(`the policy of ${id} starts it, but no run was due`);
    if (monotonic < due) broken(`the policy of ${id} starts it ${due - monotonic} ns too early`);
    this.#due.delete(id);
  }

  /** Compares with the records, from which the next engine continues. */
  #known({ ledger }: Seen): void {
    for (const key of ledger.changed.filter((one) => one.startsWith("container/"))) {
      const id = key.slice("container/".length);
      const [last, record] = [this.#last.get(id), ledger.json<Policed>(key)];
      if (last === undefined || record === undefined) continue;
      const { restartDelay, restartCount } = record;
      if (BigInt(restartDelay) === last.delay && restartCount === last.count) continue;
      broken(
        `the record of ${id}: ${restartCount} restarts, ${restartDelay} ns; expected ${last.count}, ${last.delay} ns`,
      );
    }
  }
}

function isWaiting(ledger: Ledger, id: string): boolean {
  const container = ledger.containers.get(id);
  return container !== undefined && ["recycling", "restarting"].includes(wordOf(container));
}

function broken(message: string): never {
  throw new Breach("delays", message);
}
