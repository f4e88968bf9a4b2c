// Decides which commands wait for others. Commands on one subject of one interface run one after the other, in the
// given order; all others run concurrently. The core handles other dependencies, for example that a mount waits for a
// join.

import { subjectIn } from "../shared/index.js";
import type { HostEffect } from "../shared/index.js";

/**
 * The subject of a command, as core/wit marks it. Null for a command that waits for nothing: a query, or `abandon`,
 * which must overtake what it aborts. A signal waits for the launch before it: until then it has no receiver.
 */
export function subjectOf(effect: HostEffect): string | null {
  const subject = subjectIn(effect);
  return subject === null ? null : `${effect.to} ${subject}`;
}

/** One queue per subject. */
export class SubjectQueues {
  readonly #last = new Map<string, Promise<void>>();

  /** Starts `act` now, or when everything before it on the same subject has ended. `act` never rejects. */
  run(subject: string | null, act: () => Promise<void>): Promise<void> {
    if (subject === null) return act();
    const before = this.#last.get(subject);
    const mine = before === undefined ? act() : before.then(act);
    this.#last.set(subject, mine);
    void mine.then(() => {
      if (this.#last.get(subject) === mine) this.#last.delete(subject);
    });
    return mine;
  }
}
