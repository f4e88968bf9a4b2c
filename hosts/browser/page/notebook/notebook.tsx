// The notebook: all cells, and the place to begin the next one.

import type { Cell } from "../../session/cell.js";
import type { Exchange } from "../../session/exchange.js";
import { usePlayground, useSession } from "../context.js";
import { LessonCard, usePlaced } from "../lessons/lesson-card.js";
import { narrow } from "../narrow.js";
import { CellView } from "./cell.js";
import { interruptAt, isInterrupt } from "./interrupt.js";
import { NewRequest } from "./new-request.js";
import { RecordedRequest } from "./recorded-request.js";

export function Notebook() {
  const playground = usePlayground();
  const session = useSession();
  const press = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || !isInterrupt(event)) return;
    if (interruptAt(playground, event.target)) event.preventDefault();
  };
  if (session.recording !== null) {
    return (
      <div class="notebook-inner">
        <h2 class="unseen">Requests</h2>
        <RecordedRequest recording={session.recording} />
      </div>
    );
  }
  return (
    <div class="notebook-inner" onKeyDown={press}>
      <h2 class="unseen">Requests</h2>
      <Cells />
      <NewRequest />
    </div>
  );
}

/** In the one-column layout, the steps of the lesson are between the cells. */
function Cells() {
  const { shown, course } = usePlayground();
  const cells = useSession().cells.value;
  const placed = usePlaced(course.progress.value, lastAnswered(cells));
  const steps = narrow.value ? placed : [];
  const under = (id: string | null) =>
    steps.flatMap(({ step, under: place }) => {
      const isHere = id === null ? !cells.some((cell) => cell.id === place) : place === id;
      return isHere ? [<li key={`step ${step}`}>{<LessonCard at={step} />}</li>] : [];
    });
  return (
    <ol class="cells">
      {under(null)}
      {cells.map((cell, place) => [
        <li key={cell.id}>
          <CellView cell={cell} place={place} last={place === cells.length - 1} shown={shown.value === cell.id} />
        </li>,
        ...under(cell.id),
      ])}
    </ol>
  );
}

function lastAnswered(cells: readonly Cell[]): string | null {
  const isAnswered = ({ head, state }: Exchange): boolean => head.value !== null || state.value === "broken";
  return cells.findLast(({ exchanges }) => exchanges.value.some(isAnswered))?.id ?? null;
}
