// Sends the requests of a command one after the other, filled in from earlier answers.

import type { Exchange } from "../session/exchange.js";
import type { TextFile, WrittenRequest } from "../session/request.js";
import { atSign, fieldOf, listOf } from "./docker/planned.js";
import { Wrong } from "./docker/wrong.js";
import type { PlannedRequest } from "./notation.js";

/** A request cannot be sent, because an earlier answer lacks the needed id. */
export class NotFilled extends Wrong {
  constructor(number: number) {
    super(`the answer to request ${number} has no Id, so the following requests are not sent`, null);
  }
}

export interface Sender {
  /** Adds a request to the notebook and sends it. */
  send(request: WrittenRequest): Promise<Exchange>;
  /** Closes the connection of an exchange, given its number. */
  cancel(exchange: number): Promise<void>;
  /** The files of the page's folder. */
  folder(): readonly TextFile[];
}

/** The result of a command. */
export interface Outcome {
  readonly sent: readonly Exchange[];
  /**
   * The parsed JSON answer to each planned request: null if the request was not sent, a list if it was sent for each
   * element.
   */
  readonly answers: readonly unknown[];
  /** Whether no request was refused. */
  readonly ok: boolean;
}

/** Fills in the id that the request waits for. */
export function filled(request: PlannedRequest, answers: readonly unknown[]): PlannedRequest {
  const { about } = request;
  if (about === undefined) return request;
  const id = fieldOf(answers[about - 1], "Id");
  if (id === "") throw new NotFilled(about);
  return withId(request, String(about), id);
}

/** The request alone, with the files of the folder if it takes them. */
export function writtenFor(planned: PlannedRequest, folder: () => readonly TextFile[]): WrittenRequest {
  const { method, target, headers, body, takesFolder, files = takesFolder ? folder() : undefined } = planned;
  return { method, target, headers, body, ...(files !== undefined && { files }) };
}

/** Only in the path: the query comes from options. */
function withId(request: PlannedRequest, from: string, id: string): PlannedRequest {
  const [path, query] = atSign(request.target, "?");
  const target = path.replace(`{{${from}.Id}}`, () => id) + (query === null ? "" : `?${query}`);
  return { ...request, target };
}

/** Makes one request for each element of a list, with its short id as the docker command does. */
function forEach(request: PlannedRequest, answers: readonly unknown[]): PlannedRequest[] {
  if (request.each === undefined) return [filled(request, answers)];
  return listOf(answers[request.each - 1]).map((one) => withId(request, "each", fieldOf(one, "Id").slice(0, 12)));
}

/** Sends the requests and resolves to their exchanges. */
export async function sendAll(requests: readonly PlannedRequest[], sender: Sender): Promise<readonly Exchange[]> {
  return (await runPlan(requests, sender)).sent;
}

/**
 * Sends each request when the previous one is answered. If an image is missing, pulls it and sends the request again.
 * Stops at the first refused request, unless the next one is meant for that case.
 */
export async function runPlan(requests: readonly PlannedRequest[], sender: Sender): Promise<Outcome> {
  const run = new Run(sender);
  try {
    for (const planned of requests) await run.next(planned);
  } catch (error) {
    await run.abandon();
    throw error;
  }
  await run.end();
  return run;
}

class Run implements Outcome {
  readonly sent: Exchange[] = [];
  readonly answers: unknown[] = [];
  readonly #sender: Sender;
  readonly #aside: Exchange[] = [];
  /** Status of the previous answer; 200 at first. */
  #status = 200;
  #refused = false;

  constructor(sender: Sender) {
    this.#sender = sender;
  }

  get ok(): boolean {
    return !this.#refused && isFine(this.#status);
  }

  async next(planned: PlannedRequest): Promise<void> {
    const { when } = planned;
    const isWanted = when === "always" || (when === "absent" ? this.#status === 404 : isFine(this.#status));
    if (!isWanted) return void this.answers.push(null);
    if (when === "runs") mustRun(this.answers.at(-1));
    if (when === "always" && !isFine(this.#status)) this.#refused = true;
    const answers: unknown[] = [];
    for (const request of forEach(planned, this.answers)) {
      answers.push(await this.#answerTo(request));
      if (planned.each !== undefined && !isFine(this.#status)) this.#refused = true;
    }
    this.answers.push(planned.each === undefined ? answers[0] : answers);
  }

  /** Null if there is no answer. */
  async #answerTo(request: PlannedRequest): Promise<unknown> {
    let exchange = await this.#sendOne(request);
    if (request.pull !== undefined && exchange.head.value?.status === 404) {
      const pulled = await this.#sendOne(request.pull);
      this.#status = statusOf(pulled);
      if (!isFine(this.#status)) return null;
      exchange = await this.#sendOne(request);
    }
    // A background request has no status yet, and the next one does not wait for it.
    this.#status = request.background ? 200 : statusOf(exchange);
    return jsonOf(exchange);
  }

  /** Closes requests that the command no longer needs. */
  async end(): Promise<void> {
    for (const exchange of this.#aside) await this.#sender.cancel(exchange.number);
  }

  /** Closes everything that still runs, because nobody needs the output. */
  async abandon(): Promise<void> {
    for (const { number, state } of this.sent) {
      if (state.value === "sending" || state.value === "streaming") await this.#sender.cancel(number);
    }
  }

  async #sendOne(request: PlannedRequest): Promise<Exchange> {
    const { background, aside } = request;
    const exchange = await this.#sender.send(writtenFor(request, () => this.#sender.folder()));
    this.sent.push(exchange);
    if (aside) this.#aside.push(exchange);
    if (!background) await ended(exchange);
    return exchange;
  }
}

/** The docker command does not attach to a container that is not running. */
function mustRun(container: unknown): void {
  const { State: state } = (container ?? {}) as {
    State?: { Running?: boolean; Paused?: boolean; Restarting?: boolean };
  };
  if (state?.Paused) throw new Wrong("it is paused: resume it with docker unpause, then attach to it", null);
  if (state?.Restarting) throw new Wrong("it is restarting: attach to it once it is running", null);
  if (!state?.Running) throw new Wrong("it is not running: docker start -a starts it and attaches to it", null);
}

/** An error can also come at the end of a progress stream. */
function statusOf({ head, view }: Exchange): number {
  if (view.value.kind === "progress" && view.value.error !== null) return 500;
  return head.value?.status ?? 0;
}

function isFine(status: number): boolean {
  return status > 0 && status < 400;
}

/** Resolves when the whole answer has arrived or the connection broke. */
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
