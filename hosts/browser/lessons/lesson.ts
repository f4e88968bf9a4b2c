// The type of a lesson.

import type { Session } from "../session/session.js";
import type { WrittenRequest } from "../session/request.js";

export interface LessonStep {
  /** What to do, in one or two sentences. */
  readonly task: string;
  /** The request to fill in, so that the learner need not type it. It may depend on the session. */
  readonly cell?: (session: Session) => WrittenRequest;
  /** A button that sends no request: `crash`, `reopen`. */
  readonly button?: "crash" | "reopen";
  readonly hints: readonly string[];
  /** Whether the learner did it and the engine confirms it. Reads signals, so it may be called in an `effect`. */
  readonly done: (session: Session) => boolean;
}

export interface Lesson {
  /** The id in links: `run`, `background`… */
  readonly id: string;
  readonly title: string;
  readonly intro: string;
  readonly steps: readonly LessonStep[];
  /** Shown when all steps are done. */
  readonly insight: string;
}
