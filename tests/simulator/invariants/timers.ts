// Checks timers: each one that fires has a purpose, and at rest no more are set than are needed.

import type { Operation, RequestId } from "../../../hosts/shared/host.js";
import { Breach } from "../breach.js";
import { type ContainerRecord, wordOf, RUNNING } from "../ledger.js";
import type { AtRest, Seen } from "./invariant.js";

/** Shortest period of the engine's own rounds over ended execs and grown files, which may find nothing to do. */
const ROUND_NS = 60_000_000_000n;
const ROUNDS = 2;
const MS = 1_000_000n;
/** A waiting reader of events gets its turn after at most this time. */
const TURN_NS = 5n * MS;
/**
 * The most timers for a container's probes: for the next probe, or for the start, end and SIGKILL of the current one.
 */
const OF_PROBES = 2;
/** The longest delay of a restart policy. */
const LONGEST_NS = 60_000_000_000n;
/** The period of the engine's round over ended execs. */
const LONG_ROUND_NS = 300_000_000_000n;
/** Requests whose answers depend on the time. */
const DUE = /\/stats\b|\/events\?.*until=/;
const READS_ON = /\/events\b/;
/** Requests whose time may come while earlier events are still being read. */
const READS = /\/events\?.*until=/;

export class Timers {
  /** The timers that are set. */
  readonly #set = new Map<Operation, Timer>();
  /** Timers that may fire without an effect, because their request must wait for something else. */
  readonly #patient = new Set<Operation>();
  /** Requests that may have a timer, and are not fully answered. */
  readonly #due = new Set<RequestId>();

  /** Requests that read events. */
  readonly #readers = new Set<RequestId>();

  elapsed({ input, outputs, notes, ledger, now }: Seen): void {
    if (input?.tag !== "elapsed") return;
    const { delay, at } = this.#set.get(input.val) ?? {};
    this.#set.delete(input.val);
    if (at !== undefined && now.monotonic < at) broken(`a timer fires ${(at - now.monotonic) / MS} ms early`);
    const isIdle = outputs.records.length + outputs.effects.length + outputs.replies.length + notes.length === 0;
    if (delay === undefined && !isIdle) broken(`timer ${input.val}, which was cancelled, had effects`);
    // A policy's delay may be over before the last run's resources are released.
    const isEarly = [...ledger.containers.values()].some((container) => wordOf(container) === "recycling");
    const isPatient = this.#patient.delete(input.val);
    if (delay === undefined || !isIdle || isEarly || isPatient || delay >= ROUND_NS) return;
    broken(`a timer of ${delay / MS} ms fires without an effect`);
  }

  asked({ input, outputs, now }: Seen): void {
    if (input?.tag === "request" && READS_ON.test(input.val.target)) this.#readers.add(input.val.id);
    if (input?.tag === "request" && DUE.test(input.val.target)) this.#due.add(input.val.id);
    for (const { to, op, command } of outputs.effects) {
      if (to !== "timers") continue;
      if (command.tag === "set" && input?.tag === "request" && READS.test(input.val.target)) this.#patient.add(op);
      // The reader may be gone by then.
      if (command.tag === "set" && this.#readers.size > 0 && command.val - now.monotonic <= TURN_NS)
        this.#patient.add(op);
      // Timers in the past would try to make up for lost time in a burst.
      if (command.tag === "set" && command.val < now.monotonic) broken("a timer is set for a time in the past");
      if (command.tag === "set") this.#set.set(op, { at: command.val, delay: command.val - now.monotonic });
      else if (!this.#set.delete(op)) broken(`timer ${op} is cancelled, but was not set`);
    }
    if (input?.tag === "closed") this.#over(input.val.request);
    for (const { request, command } of outputs.replies) {
      if (["whole", "bare", "end"].includes(command.tag)) this.#over(request);
    }
  }

  #over(request: RequestId): void {
    this.#due.delete(request);
    this.#readers.delete(request);
  }

  rested({ ledger, now }: AtRest): void {
    const all = [...this.#set.values()];
    if (all.some(({ at }) => at < now.monotonic)) broken("a timer was due, but has not fired");
    const containers = [...ledger.containers.values()];
    const isProbed = ({ id }: ContainerRecord): boolean => ledger.json<Probed>(`container/${id}`)?.health !== undefined;
    const probed = containers.filter((one) => RUNNING.includes(wordOf(one)) && isProbed(one)).length;
    const waiting = containers.filter((one) => wordOf(one) === "restarting").length;
    const due = this.#due.size;
    expectAtMost(ROUNDS + due + OF_PROBES * probed + waiting, all);
    const long = all.filter(({ delay }) => delay > LONGEST_NS && delay !== LONG_ROUND_NS);
    expectAtMost(due + probed, long);
  }

  crashed(): void {
    this.#set.clear();
    this.#patient.clear();
    this.#readers.clear();
    this.#due.clear();
  }
}

function expectAtMost(most: number, timers: readonly Timer[]): void {
  const delays = timers.map(({ delay }) => `${delay / MS} ms`);
  if (delays.length > most) broken(`at most ${most} timers are needed, but there are timers for ${delays.join(", ")}`);
}

/** The part of a container's record about its probes. */
interface Probed {
  health?: unknown;
}

interface Timer {
  at: bigint;
  /** Nanoseconds since it was set. */
  delay: bigint;
}

function broken(message: string): never {
  throw new Breach("timers", message);
}
