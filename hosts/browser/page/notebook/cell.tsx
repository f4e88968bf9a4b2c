// A cell: an editable request, and the answers to it.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Endpoint, Reference } from "../../reference/reference.js";
import type { Cell } from "../../session/cell.js";
import { isReading } from "../../../dry-run/index.js";
import { AnswerView } from "../answer/answer.js";
import { BodyEditor } from "./body-editor.js";
import { CellMenu } from "./cell-menu.js";
import { usePlayground, useSession } from "../context.js";
import { DryRun } from "./dry-run.js";
import { findEndpoint } from "./endpoint.js";
import { FilesEditor } from "./files-editor.js";
import { HeaderFields } from "./header-fields.js";
import { ParameterFields } from "./parameter-fields.js";
import { RequestLine } from "./request-line.js";

export interface CellViewProps {
  cell: Cell;
  place: number;
  last: boolean;
  /** Whether to scroll it into view. */
  shown: boolean;
}

export function CellView({ cell, place, last, shown }: CellViewProps) {
  const playground = usePlayground();
  const session = useSession();
  const article = useRef<HTMLElement>(null);
  const [sending, setSending] = useState(false);
  const request = cell.request.value;
  const exchanges = cell.exchanges.value;
  const [number, setNumber] = useState<number | null>(null);
  const exchange = exchanges.find((one) => one.number === number) ?? exchanges.at(-1);
  const endpoint = findEndpoint(playground.reference.value, request);

  useEffect(() => {
    if (!shown) return;
    article.current?.scrollIntoView({ block: "nearest" });
    article.current?.querySelector<HTMLElement>("button.primary")?.focus({ preventScroll: true });
    playground.shown.value = null;
  }, [shown]);

  const send = async (): Promise<void> => {
    setSending(true);
    setNumber(null);
    await playground.run(playground.send(cell.id));
    setSending(false);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    void send();
  };
  const edit = (change: Partial<typeof request>): void => session.edit(cell.id, change);

  return (
    <article ref={article} class="cell" data-cell={cell.id} aria-label={`Request ${place + 1}`} onKeyDown={onKeyDown}>
      <form
        class="request"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <RequestLine request={request} edit={edit} sending={sending}>
          <CellMenu cell={cell} place={place} last={last} />
        </RequestLine>
        <p class="muted small summary">{summaryOf(playground.reference.value, endpoint)}</p>
        {request.files !== undefined ? (
          <FilesEditor files={request.files} edit={edit} />
        ) : (
          <BodyEditor
            request={request}
            endpoint={endpoint}
            edit={edit}
            current={() => cell.request.peek().body}
            name={cell.id}
          />
        )}
        <div class="folds">
          <ParameterFields request={request} endpoint={endpoint} edit={edit} />
          <HeaderFields request={request} edit={edit} />
          {!isReading(request.method) && <DryRun key={exchanges.length} request={request} />}
        </div>
      </form>
      {exchanges.length > 1 && (
        <label class="earlier small muted">
          Answer
          <select value={exchange?.number} onChange={(event) => setNumber(Number(event.currentTarget.value))}>
            {exchanges.map((one, at) => (
              <option key={one.number} value={one.number}>
                {at + 1} of {exchanges.length}
              </option>
            ))}
          </select>
        </label>
      )}
      {exchange && <AnswerView key={exchange.number} exchange={exchange} />}
    </article>
  );
}

/** Empty until the reference is loaded; the line keeps its height. */
function summaryOf(reference: Reference | null, endpoint: Endpoint | null): string {
  if (reference === null) return "";
  return endpoint?.summary ?? `API ${reference.version} has no such endpoint`;
}
