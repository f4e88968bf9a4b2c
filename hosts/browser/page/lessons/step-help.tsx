// Help with a step of a lesson: its request or button, and hints.

import type { LessonStep } from "../../lessons/lesson.js";
import type { WrittenRequest } from "../../session/request.js";
import { usePlayground, useSession } from "../context.js";

/** `done`: the request may be sent again. */
export function StepHelp({ step, done = false }: { step: LessonStep; done?: boolean }) {
  const playground = usePlayground();
  const session = useSession();
  return (
    <div class="stack tight">
      <div class="row">
        {step.cell && <RequestButton request={step.cell(session)} done={done} />}
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

/** A request that is already in the notebook and not sent yet is not added again. */
function RequestButton({ request, done }: { request: WrittenRequest; done: boolean }) {
  const playground = usePlayground();
  const session = useSession();
  const waiting = session.cells.value.find(
    (cell) => cell.exchanges.value.length === 0 && same(cell.request.value, request),
  );
  const act = (): void => (waiting ? playground.show(waiting.id) : playground.add(request));
  return (
    <button type="button" onClick={act}>
      {waiting ? "Go to the request" : `Add the request${done ? " once more" : ""}`}
    </button>
  );
}

function same(a: WrittenRequest, b: WrittenRequest): boolean {
  const isSame = a.method === b.method && a.target === b.target && a.body === b.body;
  return isSame && JSON.stringify(a.files) === JSON.stringify(b.files);
}
