// What a lesson is.

import type { Session } from "../session/session.js";
import type { WrittenRequest } from "../session/request.js";

export interface LessonStep {
  /** What to do, a sentence or two. */
  readonly task: string;
  /** Filled in where the learner should not have to type; given what the session holds so far. */
  readonly cell?: (session: Session) => WrittenRequest;
  /** A button that is no request: `crash`, `reopen`. */
  readonly button?: "crash" | "reopen";
  readonly hints: readonly string[];
  /** Whether the learner did it and the engine agrees. Reads signals: may be called in an `effect`. */
  readonly done: (session: Session) => boolean;
}

export interface Lesson {
  /** For links: `run`, `background`… */
  readonly id: string;
  readonly title: string;
  readonly intro: string;
  readonly steps: readonly LessonStep[];
  /** Said when all steps are done. */
  readonly insight: string;
}
