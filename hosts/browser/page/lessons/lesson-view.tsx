// One lesson: its steps light up as the learner does them and the engine agrees.

import { useSignalEffect } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import type { Lesson, LessonStep } from "../../lessons/lesson.js";
import type { WrittenRequest } from "../../session/request.js";
import { usePlayground, useSession } from "../context.js";

export function LessonView({ lesson }: { lesson: Lesson }) {
  const playground = usePlayground();
  const [reached, setReached] = useState(0);
  // What was done stays done: a later step may undo what an earlier one asked for.
  useSignalEffect(() => {
    const session = playground.session.value;
    setReached((before) => {
      let next = before;
      while (next < lesson.steps.length && lesson.steps[next]!.done(session)) next++;
      return next;
    });
  });
  const finished = reached === lesson.steps.length;
  useEffect(() => {
    if (finished) playground.finish(lesson.id);
  }, [finished]);
  return (
    <div class="lesson">
      <p>{lesson.intro}</p>
      <ol class="lesson-steps">
        {lesson.steps.map((step, at) => (
          <li key={at} data-state={at < reached ? "done" : at === reached ? "current" : "later"}>
            <p>
              {at < reached && <span class="unseen">Done: </span>}
              {step.task}
            </p>
            {at === reached && <StepHelp step={step} />}
          </li>
        ))}
      </ol>
      <div role="status">{finished && <p class="insight">{lesson.insight}</p>}</div>
    </div>
  );
}

function StepHelp({ step }: { step: LessonStep }) {
  const playground = usePlayground();
  const session = useSession();
  return (
    <div class="stack tight">
      <div class="row">
        {step.cell && <RequestButton request={step.cell(session)} />}
        {step.button === "crash" && (
          <button type="button" onClick={() => void playground.run(session.crash())}>
            Kill the engine
          </button>
        )}
        {step.button === "reopen" && (
          <button type="button" onClick={() => void playground.run(session.reopen())}>
            Start the engine again
          </button>
        )}
      </div>
      {step.hints.map((hint, at) => (
        <details key={at} class="fold">
          <summary class="small">{at === 0 ? "A hint" : "Another hint"}</summary>
          <p class="small">{hint}</p>
        </details>
      ))}
    </div>
  );
}

/** What stands in the notebook already, and has not been sent, is not added once more. */
function RequestButton({ request }: { request: WrittenRequest }) {
  const playground = usePlayground();
  const session = useSession();
  const waiting = session.cells.value.find(
    (cell) => cell.exchanges.value.length === 0 && same(cell.request.value, request),
  );
  const act = (): void => (waiting ? playground.show(waiting.id) : playground.add(request));
  return (
    <button type="button" onClick={act}>
      {waiting ? "Go to the request" : "Add the request"}
    </button>
  );
}

function same(a: WrittenRequest, b: WrittenRequest): boolean {
  return a.method === b.method && a.target === b.target && a.body === b.body;
}
