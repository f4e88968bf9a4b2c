// How far a learner is in which lesson: one state machine, in one table. It knows no page and no session; `page/lessons/course.ts`
// applies it.

/** `preparing`: the session that the lesson begins in is being made; what is done until then counts for nothing. */
export type Status = "none" | "preparing" | "under way" | "finished";

export interface Progress {
  readonly status: Status;
  /** Id of the lesson that is open; null for `none`. */
  readonly lesson: string | null;
  /** Counts the sessions that were asked for: one that comes late is known by it. */
  readonly turn: number;
  /** So many steps are done. What is done stays done: a later step may undo what an earlier one asked for. */
  readonly reached: number;
}

export type Cause =
  /** Someone opens a lesson: in the list, by a link, or as the next one. */
  | { kind: "choose"; lesson: string }
  /** The session asked for at `turn` is shown. */
  | { kind: "begin"; turn: number }
  /** It could not be made. */
  | { kind: "fail"; turn: number }
  /** So many of the lesson's steps are done in the session that is shown. */
  | { kind: "reach"; steps: number; of: number }
  /** Start over. */
  | { kind: "restart" }
  /** The session went on from an earlier moment: what came after it has not happened. */
  | { kind: "branch" }
  /** A session is shown that was kept or shared within this lesson. */
  | { kind: "resume"; lesson: string }
  /** A session is shown that has nothing to do with a lesson. */
  | { kind: "leave" }
  /** Someone folds the lesson. */
  | { kind: "close" };

export const NO_LESSON: Progress = { status: "none", lesson: null, turn: 0, reached: 0 };

type Move = (before: Progress, cause: Cause) => Progress;

const prepare: Move = (before, cause) => {
  const lesson = cause.kind === "choose" ? cause.lesson : before.lesson;
  return { status: "preparing", lesson, turn: before.turn + 1, reached: 0 };
};

/** Steps are counted anew, from the first one. A session still being made for another lesson comes late. */
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

/** What a cause does in a status; where nothing stands it does nothing. */
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

/** The same object where nothing changes. */
export function after(before: Progress, cause: Cause): Progress {
  return TABLE[before.status][cause.kind]?.(before, cause) ?? before;
}
