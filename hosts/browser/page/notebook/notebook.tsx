// The notebook: cells in their order, and the place where the next one is begun.

import { usePlayground, useSession } from "../context.js";
import { CellView } from "./cell.js";
import { NewRequest } from "./new-request.js";
import { RecordedRequest } from "./recorded-request.js";

export function Notebook() {
  const session = useSession();
  const { shown } = usePlayground();
  const cells = session.cells.value;
  if (session.recording !== null) {
    return (
      <div class="notebook-inner">
        <h2 class="unseen">Requests</h2>
        <RecordedRequest recording={session.recording} />
      </div>
    );
  }
  return (
    <div class="notebook-inner">
      <h2 class="unseen">Requests</h2>
      <ol class="cells">
        {cells.map((cell, place) => (
          <li key={cell.id}>
            <CellView cell={cell} place={place} last={place === cells.length - 1} shown={shown.value === cell.id} />
          </li>
        ))}
      </ol>
      <NewRequest />
    </div>
  );
}
