// Timers are set and called off by those who need them: one that goes off finds somebody, and at rest no more are set
// than there is to wait for.

import type { Operation, RequestId } from "../../../hosts/shared/host.js";
import { Breach } from "../breach.js";
import { type ContainerRecord, wordOf, RUNNING } from "../ledger.js";
import type { AtRest, Seen } from "./invariant.js";

/** The engine's own rounds, over execs that have ended and files that have grown, come after so long; they may find nothing. */
const ROUND_NS = 60_000_000_000n;
const ROUNDS = 2;
const MS = 1_000_000n;
/** Readers of events who had to wait have their turn after so long at most. */
const TURN_NS = 5n * MS;
/** The next probe of a container's health, or the one that goes on: its start, its end and its SIGKILL. */
const OF_PROBES = 2;
/** What a policy lets pass before a run at most. */
const LONGEST_NS = 60_000_000_000n;
/** The engine's round over execs that have ended. */
const LONG_ROUND_NS = 300_000_000_000n;
/** Answers that are due at some time. */
const DUE = /\/stats\b|\/events\?.*until=/;
const READS_ON = /\/events\b/;
/** Whose time may come while what is before it is still being read. */
const READS = /\/events\?.*until=/;

export class Timers {
  /** And when they are to go off. */
  readonly #set = new Map<Operation, Timer>();
  /** Those that may have to wait for something else. */
  readonly #patient = new Set<Operation>();
  /** Requests that may have a timer, and have not been answered to their end. */
  readonly #due = new Set<RequestId>();

  /** Who reads events. */
  readonly #readers = new Set<RequestId>();

  elapsed({ input, outputs, notes, ledger, now }: Seen): void {
    if (input?.tag !== "elapsed") return;
    const { delay, at } = this.#set.get(input.val) ?? {};
    this.#set.delete(input.val);
    if (at !== undefined && now.monotonic < at) broken(`a timer goes off ${(at - now.monotonic) / MS} ms early`);
    const isIdle = outputs.records.length + outputs.effects.length + outputs.replies.length + notes.length === 0;
    if (delay === undefined && !isIdle) broken(`timer ${input.val}, which was called off, did something`);
    // What its policy waits before the next run may be over before the last one's things are given back.
    const isEarly = [...ledger.containers.values()].some((container) => wordOf(container) === "recycling");
    const isPatient = this.#patient.delete(input.val);
    if (delay === undefined || !isIdle || isEarly || isPatient || delay >= ROUND_NS) return;
    broken(`a timer of ${delay / MS} ms goes off, and nobody needs it`);
  }

  asked({ input, outputs, now }: Seen): void {
    if (input?.tag === "request" && READS_ON.test(input.val.target)) this.#readers.add(input.val.id);
    if (input?.tag === "request" && DUE.test(input.val.target)) this.#due.add(input.val.id);
    for (const { to, op, command } of outputs.effects) {
      if (to !== "timers") continue;
      if (command.tag === "set" && input?.tag === "request" && READS.test(input.val.target)) this.#patient.add(op);
      // They may have left by then.
      if (command.tag === "set" && this.#readers.size > 0 && command.val - now.monotonic <= TURN_NS)
        this.#patient.add(op);
      // Whoever sets those would make up for lost time, with a burst.
      if (command.tag === "set" && command.val < now.monotonic) broken("a timer is set for a time that is over");
      if (command.tag === "set") this.#set.set(op, { at: command.val, delay: command.val - now.monotonic });
      else if (!this.#set.delete(op)) broken(`timer ${op} is called off, and not set`);
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
    if (all.some(({ at }) => at < now.monotonic)) broken("a timer was due, and has not come");
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
  if (delays.length > most) broken(`${most} may be waited for; timers are set for ${delays.join(", ")}`);
}

/** As far as a container's record tells of its probes. */
interface Probed {
  health?: unknown;
}

interface Timer {
  at: bigint;
  /** Nanoseconds from when it was set. */
  delay: bigint;
}

function broken(message: string): never {
  throw new Breach("timers", message);
}
