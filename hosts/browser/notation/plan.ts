// Sends the requests of a command one after the other, filled in from the answers before.

import type { Exchange } from "../session/exchange.js";
import type { WrittenRequest } from "../session/request.js";
import type { PlannedRequest } from "./notation.js";

/** What is missing to send a request: an earlier answer does not have it. */
export class NotFilled extends Error {}

/** Puts a request into the notebook and sends it. */
export type Send = (request: WrittenRequest) => Promise<Exchange>;

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
 * Sends each request when the one before is answered. What lacks an image is sent again once that is pulled. Stops at
 * the first that is refused. Resolves to what was sent.
 */
export async function sendAll(requests: readonly PlannedRequest[], send: Send): Promise<Exchange[]> {
  const sent: Exchange[] = [];
  const answers: unknown[] = [];
  const sendOne = async ({ method, target, headers, body, background }: PlannedRequest): Promise<Exchange> => {
    const exchange = await send({ method, target, headers, body });
    sent.push(exchange);
    if (!background) await ended(exchange);
    return exchange;
  };
  for (const planned of requests) {
    const request = filled(planned, answers);
    let exchange = await sendOne(request);
    if (planned.pull !== undefined && exchange.head.value?.status === 404) {
      if (!succeeded(await sendOne(planned.pull))) break;
      exchange = await sendOne(request);
    }
    if (!planned.background && !succeeded(exchange)) break;
    answers.push(jsonOf(exchange));
  }
  return sent;
}

/** An error comes at the end of a progress stream, too. */
function succeeded({ head, view }: Exchange): boolean {
  const status = head.value?.status ?? 0;
  return status > 0 && status < 400 && !(view.value.kind === "progress" && view.value.error !== null);
}

/** Resolves when the whole answer is there, or broke off. */
function ended(exchange: Exchange): Promise<void> {
  return new Promise((resolve) => {
    let stop = (): void => {};
    let over = false;
    stop = exchange.state.subscribe((state) => {
      if ((state !== "done" && state !== "broken") || over) return;
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
