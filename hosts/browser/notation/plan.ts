// Sends the requests of a command one after the other, filled in from the answers before.

import type { Exchange } from "../session/exchange.js";
import type { WrittenRequest } from "../session/request.js";
import type { PlannedRequest } from "./notation.js";

/** What is missing to send a request: an earlier answer does not have it. */
export class NotFilled extends Error {}

/** Puts a request into the notebook and sends it. */
export type Send = (request: WrittenRequest) => Promise<Exchange>;

/** What came of a command. */
export interface Outcome {
  readonly sent: readonly Exchange[];
  /** Of each planned request, read from its JSON; null for one that is not there. */
  readonly answers: readonly unknown[];
  /** Whether nothing was refused. */
  readonly ok: boolean;
}

/** Puts answers in for `{{N.Field}}`: field `Field` of the answer to request N of the command. */
export function filled(request: PlannedRequest, answers: readonly unknown[]): PlannedRequest {
  return fill(request, (mark, number, field) => {
    if (number === "each") return mark;
    const value = (answers[Number(number) - 1] as Record<string, unknown> | null | undefined)?.[field];
    if (typeof value !== "string" && typeof value !== "number") throw new NotFilled(mark);
    return String(value);
  });
}

function fill(request: PlannedRequest, value: (mark: string, from: string, field: string) => string): PlannedRequest {
  const put = (text: string): string => text.replace(/\{\{(\d+|each)\.(\w+)\}\}/g, value);
  return { ...request, target: put(request.target), body: put(request.body) };
}

/** One request for each element of a list, by its short id as the docker command has it. */
function forEach(request: PlannedRequest, answers: readonly unknown[]): PlannedRequest[] {
  if (request.each === undefined) return [request];
  const list = answers[request.each - 1];
  return (Array.isArray(list) ? (list as Record<string, unknown>[]) : []).map((one) =>
    fill(request, (_mark, _from, field) => String(one[field]).slice(0, 12)),
  );
}

/** Sends the requests, and resolves to what was sent. */
export async function sendAll(requests: readonly PlannedRequest[], send: Send): Promise<readonly Exchange[]> {
  return (await runPlan(requests, send)).sent;
}

/**
 * Sends each request when the one before is answered. What lacks an image is sent again once that is pulled. Stops at
 * the first that is refused, unless the next is meant for that.
 */
export async function runPlan(requests: readonly PlannedRequest[], send: Send): Promise<Outcome> {
  const run = new Run(send);
  for (const planned of requests) await run.next(planned);
  return run;
}

class Run implements Outcome {
  readonly sent: Exchange[] = [];
  readonly answers: unknown[] = [];
  readonly #send: Send;
  /** Of the one before; 200 for none. */
  #status = 200;
  #refused = false;

  constructor(send: Send) {
    this.#send = send;
  }

  get ok(): boolean {
    return !this.#refused && isFine(this.#status);
  }

  async next(planned: PlannedRequest): Promise<void> {
    const { when } = planned;
    const isWanted = when === "always" || (when === "absent" ? this.#status === 404 : isFine(this.#status));
    if (!isWanted) return void this.answers.push(null);
    if (when === "always" && !isFine(this.#status)) this.#refused = true;
    for (const one of forEach(planned, this.answers)) await this.#send1(one);
  }

  async #send1(planned: PlannedRequest): Promise<void> {
    const request = filled(planned, this.answers);
    let exchange = await this.#sendOne(request);
    if (planned.pull !== undefined && exchange.head.value?.status === 404) {
      const pulled = await this.#sendOne(planned.pull);
      this.#status = statusOf(pulled);
      if (!isFine(this.#status)) return void this.answers.push(null);
      exchange = await this.#sendOne(request);
    }
    // What goes on in the background has no status yet, and is not waited for.
    this.#status = planned.background ? 200 : statusOf(exchange);
    this.answers.push(jsonOf(exchange));
  }

  async #sendOne({ method, target, headers, body, background }: PlannedRequest): Promise<Exchange> {
    const exchange = await this.#send({ method, target, headers, body });
    this.sent.push(exchange);
    if (!background) await ended(exchange);
    return exchange;
  }
}

/** An error comes at the end of a progress stream, too. */
function statusOf({ head, view }: Exchange): number {
  if (view.value.kind === "progress" && view.value.error !== null) return 500;
  return head.value?.status ?? 0;
}

function isFine(status: number): boolean {
  return status > 0 && status < 400;
}

/** Resolves when the whole answer is there, or broke off. */
export function ended(exchange: Exchange): Promise<void> {
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

export function jsonOf(exchange: Exchange): unknown {
  const view = exchange.view.value;
  return view.kind === "json" ? view.value : null;
}
