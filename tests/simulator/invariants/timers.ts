// Timers are set and called off by those who need them: one that goes off finds somebody, and at rest no more are set
// than there is to wait for.

import type { Operation, RequestId } from "../../../hosts/host.js";
import { Breach } from "../breach.js";
import { wordOf } from "../ledger.js";
import type { AtRest, Seen } from "./invariant.js";

/** The engine's own rounds, over execs that have ended and files that have grown, come after so long; they may find nothing. */
const ROUND_NS = 60_000_000_000n;
const ROUNDS = 2;
const MS = 1_000_000n;
/** The next probe of a container's health, or the one that goes on: its start, its end and its SIGKILL. */
const OF_PROBES = 2;
/** Answers that are due at some time. */
const DUE = /\/stats\b|\/events\?.*until=/;

export class Timers {
  /** And how many nanoseconds after that they are to go off. */
  readonly #set = new Map<Operation, bigint>();
  /** Requests that may have a timer, and have not been answered to their end. */
  readonly #due = new Set<RequestId>();

  elapsed({ input, outputs, notes, ledger }: Seen): void {
    if (input?.tag !== "elapsed") return;
    const delay = this.#set.get(input.val);
    this.#set.delete(input.val);
    const isIdle = outputs.records.length + outputs.effects.length + outputs.replies.length + notes.length === 0;
    if (delay === undefined && !isIdle) broken(`timer ${input.val}, which was called off, did something`);
    // What its policy waits before the next run may be over before the last one's things are given back.
    const isEarly = [...ledger.containers.values()].some((container) => wordOf(container) === "recycling");
    if (delay === undefined || !isIdle || isEarly || delay >= ROUND_NS) return;
    broken(`a timer of ${delay / MS} ms goes off, and nobody needs it`);
  }

  asked({ input, outputs, now }: Seen): void {
    if (input?.tag === "request" && DUE.test(input.val.target)) this.#due.add(input.val.id);
    if (input?.tag === "closed") this.#due.delete(input.val.request);
    for (const { request, command } of outputs.replies) {
      if (["whole", "bare", "end", "cut"].includes(command.tag)) this.#due.delete(request);
    }
    for (const { to, op, command } of outputs.effects) {
      if (to !== "timers") continue;
      if (command.tag === "set") this.#set.set(op, command.val - now.monotonic);
      else if (!this.#set.delete(op)) broken(`timer ${op} is called off, and not set`);
    }
  }

  rested({ ledger }: AtRest): void {
    let most = ROUNDS + this.#due.size;
    for (const container of ledger.containers.values()) {
      const { health } = ledger.json<{ health?: unknown }>(`container/${container.id}`) ?? {};
      const status = wordOf(container);
      if (health !== undefined && ["running", "paused"].includes(status)) most += OF_PROBES;
      if (status === "restarting") most += 1;
    }
    const delays = [...this.#set.values()].map((delay) => `${delay / MS} ms`);
    if (delays.length > most) broken(`${most} may be waited for; timers are set for ${delays.join(", ")}`);
  }

  crashed(): void {
    this.#set.clear();
    this.#due.clear();
  }
}

function broken(message: string): never {
  throw new Breach("timers", message);
}
