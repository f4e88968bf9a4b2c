// In the one-column layout: the lesson's text, right above its requests.

import { useEffect, useRef } from "preact/hooks";
import { LESSONS } from "../../lessons/lessons.js";
import type { Progress } from "../../lessons/progress.js";
import { usePlayground } from "../context.js";
import { NextLesson } from "./lesson-view.js";
import { StepHelp } from "./step-help.js";

/** A lesson step placed among the cells. Finished steps stay where they are, so that nothing moves. */
export interface Placed {
  readonly step: number;
  /** Id of the cell above it; null at the top. */
  readonly under: string | null;
}

/** Places each step under the last cell that was answered when the step began. */
export function usePlaced(progress: Progress, answered: string | null): readonly Placed[] {
  const kept = useRef<{ turn: number; placed: Placed[] }>({ turn: -1, placed: [] });
  const { status, turn, reached } = progress;
  if (status === "none") return [];
  if (kept.current.turn !== turn) kept.current = { turn, placed: [] };
  const { placed } = kept.current;
  while ((placed.at(-1)?.step ?? -1) > reached) placed.pop();
  if (placed.at(-1)?.step !== reached) placed.push({ step: reached, under: reached === 0 ? null : answered });
  return [...placed];
}

export function LessonCard({ at }: { at: number }) {
  const { course } = usePlayground();
  const { status, turn, reached } = course.progress.value;
  const { lesson } = course;
  const step = lesson?.steps[at];
  const card = useRef<HTMLElement>(null);
  useEffect(() => {
    // In the middle of a lesson, showing the task is enough: as much as possible of the answer above should stay
    // visible.
    const part = step !== undefined && at > 0 ? ".lesson-task" : null;
    if (at === reached) bringIntoView(card.current, part);
  }, [turn, at === reached]);
  if (lesson === null) return null;
  return (
    <section ref={card} class="lesson-card" aria-label={`Lesson, step ${at + 1}`} aria-busy={status === "preparing"}>
      <h3>
        <span>
          <span class="muted">{LESSONS.indexOf(lesson) + 1}</span> {lesson.title}
        </span>
        <span class="muted small lesson-count">{step ? `${at + 1} of ${lesson.steps.length}` : "done"}</span>
      </h3>
      {at === 0 && <p>{lesson.intro}</p>}
      {step && (
        <p class="lesson-task">
          {step.task}
          {at < reached && <span class="lesson-tick"> ✓</span>}
        </p>
      )}
      {step && <StepHelp step={step} done={at < reached} />}
      {!step && <p class="lesson-end">{lesson.insight}</p>}
      {!step && <NextLesson lesson={lesson} />}
    </section>
  );
}

/** Scrolls after the answer has been scrolled to. For keyboard users the focused element stays visible. */
function bringIntoView(card: HTMLElement | null, part: string | null): void {
  const element = part === null ? card : card?.querySelector(part);
  const scroll = (): void => {
    if (document.querySelector(":focus-visible") === null) element?.scrollIntoView({ block: "nearest" });
  };
  requestAnimationFrame(() => requestAnimationFrame(scroll));
}
