// The lessons: a list, and the open one.

import { LESSONS } from "../../lessons/lessons.js";
import { usePlayground } from "../context.js";
import { LessonView } from "./lesson-view.js";

export function Lessons() {
  const playground = usePlayground();
  const { progress, finished } = playground.course;
  return (
    <div class="lessons-inner">
      <h2>Lessons</h2>
      <ol class="lesson-list">
        {LESSONS.map((lesson, at) => {
          const open = progress.value.lesson === lesson.id;
          return (
            <li key={lesson.id} data-open={open}>
              <button
                type="button"
                class="plain lesson-title"
                aria-expanded={open}
                onClick={() => void playground.run(playground.openLesson(lesson.id))}
              >
                <span class="muted lesson-number">{finished.value.has(lesson.id) ? "✓" : at + 1}</span>
                {lesson.title}
                {finished.value.has(lesson.id) && <span class="unseen">, done</span>}
              </button>
              {open && <LessonView lesson={lesson} />}
            </li>
          );
        })}
      </ol>
    </div>
  );
}
