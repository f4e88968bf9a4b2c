// One lesson. Each step is marked as soon as the learner has done it and the engine confirms it.

import type { Lesson } from "../../lessons/lesson.js";
import { usePlayground } from "../context.js";
import { nextLesson } from "./course.js";
import { StepHelp } from "./step-help.js";

export function LessonView({ lesson }: { lesson: Lesson }) {
  const { status, reached } = usePlayground().course.progress.value;
  const preparing = status === "preparing";
  return (
    <div class="lesson" aria-busy={preparing}>
      <p>{lesson.intro}</p>
      <ol class="lesson-steps">
        {lesson.steps.map((step, at) => (
          <li key={at} data-state={at < reached ? "done" : at === reached && !preparing ? "current" : "later"}>
            <p>
              {at < reached && <span class="unseen">Done: </span>}
              {step.task}
            </p>
            {at === reached && !preparing && <StepHelp step={step} />}
          </li>
        ))}
      </ol>
      <div role="status">{status === "finished" && <p class="insight">{lesson.insight}</p>}</div>
      {status === "finished" && <NextLesson lesson={lesson} />}
    </div>
  );
}

/** Links to continue from a finished lesson. */
export function NextLesson({ lesson }: { lesson: Lesson }) {
  const playground = usePlayground();
  const next = nextLesson(lesson, playground.course.finished.value);
  if (next === null) return <p class="small">That was the last lesson. What would you like to try next?</p>;
  return (
    <button type="button" class="primary" onClick={() => void playground.run(playground.openLesson(next.id))}>
      Next lesson: {next.title}
    </button>
  );
}
