// The learner's progress in the lessons: one state machine, in one table. It does not depend on the page or a session;
// `page/lessons/course.ts` applies it.

/** `preparing`: the lesson's session is being made. Requests sent until then do not count. */
export type Status = "none" | "preparing" | "under way" | "finished";

export interface Progress {
  readonly status: Status;
  /** Id of the open lesson; null for `none`. */
  readonly lesson: string | null;
  /** Counts requested sessions, so that an outdated session is recognized when it arrives. */
  readonly turn: number;
  /** Number of steps done. A done step stays done, even if a later step undoes its effect. */
  readonly reached: number;
}

export type Cause =
  /** The visitor opens a lesson: from the list, by a link, or as the next one. */
  | { kind: "choose"; lesson: string }
  /** The session requested at `turn` is shown. */
  | { kind: "begin"; turn: number }
  /** The session could not be made. */
  | { kind: "fail"; turn: number }
  /** This many of the lesson's steps are done in the session shown. */
  | { kind: "reach"; steps: number; of: number }
  /** Start over. */
  | { kind: "restart" }
  /** The session continued from an earlier moment: later events have not happened. */
  | { kind: "branch" }
  /** A session is shown that was saved or shared within this lesson. */
  | { kind: "resume"; lesson: string }
  /** A session is shown that belongs to no lesson. */
  | { kind: "leave" }
  /** The visitor closes the lesson. */
  | { kind: "close" };

export const NO_LESSON: Progress = { status: "none", lesson: null, turn: 0, reached: 0 };

type Move = (before: Progress, cause: Cause) => Progress;

const prepare: Move = (before, cause) => {
  const lesson = cause.kind === "choose" ? cause.lesson : before.lesson;
  return { status: "preparing", lesson, turn: before.turn + 1, reached: 0 };
};

/** Counts steps again from the first one. A session that is still being made for another lesson is then outdated. */
const count: Move = (before, cause) => {
  const resumed = cause.kind === "resume";
  const lesson = resumed ? cause.lesson : before.lesson;
  return { status: "under way", lesson, turn: before.turn + (resumed ? 1 : 0), reached: 0 };
};

const begin: Move = (before, cause) => (isOf(before, cause) ? count(before, cause) : before);

const fail: Move = (before, cause) => (isOf(before, cause) ? end(before, cause) : before);

const advance: Move = (before, cause) => {
  if (cause.kind !== "reach" || cause.steps <= before.reached) return before;
  return { ...before, status: cause.steps >= cause.of ? "finished" : "under way", reached: cause.steps };
};

const end: Move = (before) => ({ ...NO_LESSON, turn: before.turn + 1 });

function isOf(before: Progress, cause: Cause): boolean {
  return "turn" in cause && cause.turn === before.turn;
}

/** What each cause does in each status. A missing entry means no effect. */
const TABLE: Readonly<Record<Status, Readonly<Partial<Record<Cause["kind"], Move>>>>> = {
  none: { choose: prepare, resume: count },
  preparing: { choose: prepare, begin, fail, restart: prepare, resume: count, leave: end, close: end },
  "under way": {
    choose: prepare,
    reach: advance,
    restart: prepare,
    branch: count,
    resume: count,
    leave: end,
    close: end,
  },
  finished: { choose: prepare, restart: prepare, branch: count, resume: count, leave: end, close: end },
};

/** Returns the same object if nothing changes. */
export function after(before: Progress, cause: Cause): Progress {
  return TABLE[before.status][cause.kind]?.(before, cause) ?? before;
}
