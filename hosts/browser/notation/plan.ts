// Sends the requests of a command one after the other, filled in from the answers before.

import type { Exchange } from "../session/exchange.js";
import type { Session } from "../session/session.js";
import type { PlannedRequest } from "./notation.js";

/** What is missing to send a request: an earlier answer does not have it. */
export class NotFilled extends Error {}

/** Puts answers in for `{{N.Field}}`: field `Field` of the answer to request N of the command. */
export function filled(request: PlannedRequest, answers: readonly unknown[]): PlannedRequest {
  const put = (text: string): string =>
    text.replace(/\{\{(\d+)\.(\w+)\}\}/g, (mark, number: string, field: string) => {
      const value = (answers[Number(number) - 1] as Record<string, unknown> | null | undefined)?.[field];
      if (typeof value !== "string" && typeof value !== "number") throw new NotFilled(mark);
      return String(value);
    });
  return { ...request, target: put(request.target), body: put(request.body) };
}

/**
 * Puts each request into a cell of its own and sends it. Stops at the first that is refused: the others stay where they
 * are, in no cell. Resolves to what was sent.
 */
export async function sendAll(session: Session, requests: readonly PlannedRequest[]): Promise<Exchange[]> {
  const sent: Exchange[] = [];
  for (const planned of requests) {
    const { method, target, headers, body } = filled(planned, sent.map(jsonOf));
    const exchange = await session.send(session.add({ method, target, headers, body }).id);
    sent.push(exchange);
    if (!planned.background) await until(exchange, (state) => state === "done" || state === "broken");
    const { status } = exchange.head.value ?? { status: 0 };
    if (!planned.background && (status === 0 || status >= 400)) break;
  }
  return sent;
}

function until(exchange: Exchange, reached: (state: string) => boolean): Promise<void> {
  return new Promise((resolve) => {
    let stop = (): void => {};
    let over = false;
    stop = exchange.state.subscribe((state) => {
      if (!reached(state) || over) return;
      over = true;
      queueMicrotask(() => stop());
      resolve();
    });
  });
}

function jsonOf(exchange: Exchange): unknown {
  const view = exchange.view.value;
  return view.kind === "json" ? view.value : null;
}
