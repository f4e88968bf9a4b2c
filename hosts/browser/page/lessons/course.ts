// The open lesson, and the effects of each change. All changes come through `tell`.

import { batch, effect, signal } from "@preact/signals";
import type { ReadonlySignal } from "@preact/signals";
import type { Lesson } from "../../lessons/lesson.js";
import { LESSONS } from "../../lessons/lessons.js";
import { NO_LESSON, after } from "../../lessons/progress.js";
import type { Cause, Progress } from "../../lessons/progress.js";
import type { Session } from "../../session/session.js";

const FINISHED_KEY = "coracle-lessons";

/** The page as seen by a course. */
export interface Stage {
  readonly session: ReadonlySignal<Session>;
  /** Makes a session to begin in; null if that fails, which the page then reports. */
  fresh(): Promise<Session | null>;
  /** Shows a lesson's session, and calls `shown` at the same time. */
  show(session: Session, lesson: string, shown: () => void): Promise<void>;
}

export class Course {
  readonly progress = signal<Progress>(NO_LESSON);
  /** Ids of the lessons that were ever finished; kept for the next visit. */
  readonly finished = signal<ReadonlySet<string>>(new Set(keptLessons()));
  readonly #stage: Stage;

  constructor(stage: Stage) {
    this.#stage = stage;
    effect(() => this.#count());
  }

  get lesson(): Lesson | null {
    return lessonOf(this.progress.value.lesson);
  }

  /** Applies a cause. Resolves when all its effects are done. */
  async tell(cause: Cause): Promise<void> {
    const before = this.progress.peek();
    const now = after(before, cause);
    if (now === before) return;
    batch(() => {
      this.progress.value = now;
      if (now.status === "finished") this.#finish(now.lesson!);
    });
    if (now.status === "preparing") await this.#prepare(now);
  }

  /** Each lesson begins in its own session, with its first request. */
  async #prepare({ lesson, turn }: Progress): Promise<void> {
    const session = await this.#stage.fresh();
    if (session === null) return this.tell({ kind: "fail", turn });
    if (this.progress.peek().turn !== turn) return session.close();
    addFirst(session, lesson);
    await this.#stage.show(session, lesson!, () => void this.tell({ kind: "begin", turn }));
  }

  /** Checks whether the learner did the next steps and the engine confirms it. */
  #count(): void {
    const { status, reached } = this.progress.value;
    const [lesson, session] = [this.lesson, this.#stage.session.value];
    if (status !== "under way" || lesson === null) return;
    const { steps } = lesson;
    let next = reached;
    while (next < steps.length && steps[next]!.done(session)) next++;
    if (next > reached) void this.tell({ kind: "reach", steps: next, of: steps.length });
  }

  #finish(lesson: string): void {
    this.finished.value = new Set([...this.finished.peek(), lesson]);
    localStorage.setItem(FINISHED_KEY, [...this.finished.peek()].join(" "));
  }
}

export function lessonOf(id: string | null): Lesson | null {
  return LESSONS.find((lesson) => lesson.id === id) ?? null;
}

/** The next lesson; after the last one, the first that was never finished. Null if there is none. */
export function nextLesson({ id }: Lesson, finished: ReadonlySet<string>): Lesson | null {
  const at = LESSONS.findIndex((lesson) => lesson.id === id);
  return LESSONS[at + 1] ?? LESSONS.find((lesson) => !finished.has(lesson.id)) ?? null;
}

/** Adds the first request of a lesson; of the first lesson if none is open. */
export function addFirst(session: Session, lesson: string | null): void {
  const cell = (lessonOf(lesson) ?? LESSONS[0])?.steps[0]?.cell;
  if (cell !== undefined) session.add(cell(session));
}

function keptLessons(): string[] {
  return (localStorage.getItem(FINISHED_KEY) ?? "").split(" ").filter(Boolean);
}
