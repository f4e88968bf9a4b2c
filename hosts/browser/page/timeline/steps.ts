// The steps worth showing. Steps that only the session itself caused are skipped, except the last one before all
// others, which shows how the world began.

import type { Session } from "../../session/session.js";
import type { Step } from "../../../timeline/index.js";

/** Cached until a step is added: a recording may have hundreds of thousands of steps, and every view needs the list. */
export function shownSteps(session: Session): readonly Step[] {
  const steps = session.steps.value;
  const known = shown.get(steps);
  if (known !== undefined) return known;
  const first = steps.findIndex((step) => !step.quiet);
  const made = steps.filter((step, place) => !step.quiet || place === first - 1);
  shown.set(steps, made);
  return made;
}

const shown = new WeakMap<readonly Step[], readonly Step[]>();

/** The previous step, or the first. From now it is the one before the last, because the last one is now. */
export function stepBefore(session: Session, from: number | null): number | null {
  const steps = shownSteps(session);
  const limit = from ?? steps.at(-1)?.number ?? 0;
  return (steps.findLast((step) => step.number < limit) ?? steps[0])?.number ?? null;
}

/** The next step; null if that is now. */
export function stepAfter(session: Session, from: number): number | null {
  const steps = shownSteps(session);
  const next = steps.find((step) => step.number > from);
  return next === undefined || next === steps.at(-1) ? null : next.number;
}
