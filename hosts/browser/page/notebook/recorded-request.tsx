// In a recording: the request of the selected step, and its answer.

import type { Recording } from "../../session/session.js";
import { AnswerView } from "../answer/answer.js";
import { useSession } from "../context.js";
import { count } from "../words.js";

export function RecordedRequest({ recording }: { recording: Recording }) {
  const step = useSession().lit.value;
  const exchange = step === null ? null : recording.exchangeOf(step);
  if (step === null || exchange === null) {
    return <p class="muted">No request caused this step. Step forward, or choose another moment below.</p>;
  }
  const { request } = exchange;
  return (
    <article class="cell" aria-label="Recorded request">
      <p class="wire breakable">
        <strong>{request.method}</strong> {request.target}
      </p>
      {request.body !== "" && (
        <pre class="body" tabIndex={0} role="group" aria-label="Body">
          {request.body}
        </pre>
      )}
      {exchange.leftOut > 0 && (
        <p class="muted small">
          It caused very many steps: {count(exchange.leftOut, "step")} of them are left out here, what came after this
          moment among them.
        </p>
      )}
      <AnswerView key={exchange.number} exchange={exchange} />
    </article>
  );
}
