// Which commands wait for which. Commands on one subject of one interface are carried out one after the other, in the
// order given; all others side by side. That a mount waits for a join, say, is the core's to arrange.

import { subjectIn } from "../shared/commands.js";
import type { HostEffect } from "../shared/outputs.js";

/**
 * What a command is about, as core/wit marks it; null for one that waits for nothing: those that only ask, and `abandon`,
 * which must overtake what it gives up. A signal waits for the launch before it: until then there is nobody to send it to.
 */
export function subjectOf(effect: HostEffect): string | null {
  const subject = subjectIn(effect);
  return subject === null ? null : `${effect.to} ${subject}`;
}

/** One queue per subject. */
export class SubjectQueues {
  readonly #last = new Map<string, Promise<void>>();

  /** Starts `act` now, or when all before it on the same subject have ended. `act` never rejects. */
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
