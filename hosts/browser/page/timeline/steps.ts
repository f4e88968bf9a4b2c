// The steps that are worth looking at: those of the session's own making are passed over.

import type { Session } from "../../session/session.js";
import type { Step } from "../../session/step.js";

export function loudSteps(session: Session): readonly Step[] {
  return session.steps.value.filter((step) => !step.quiet);
}

/** The next step in a direction; null when that is now. */
export function stepNear(session: Session, from: number, direction: 1 | -1): number | null {
  const steps = loudSteps(session);
  if (direction < 0) return (steps.findLast((step) => step.number < from) ?? steps[0])?.number ?? null;
  const next = steps.find((step) => step.number > from);
  return next === undefined || next === steps.at(-1) ? null : next.number;
}
