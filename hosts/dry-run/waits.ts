// Tracks what the clients of a dry run wait for: an answer that needs time to pass, or the end of a process.

import type { RequestId, engine, replies, types } from "../shared/index.js";

interface Waiting {
  /** Whether the request may change something. */
  changes: boolean;
  answered: boolean;
  /** Whether it waits for a container's end. */
  isWait: boolean;
  /** The run that it is attached to, or whose end it waits for. */
  run: types.Subject | null;
}

/** The route's name in the core's notes. core/wit/engine.wit promises this text. */
export const WAIT = "POST /containers/{name}/wait";

export class Waits {
  readonly #open = new Map<RequestId, Waiting>();

  get any(): boolean {
    return this.#open.size > 0;
  }

  /** Whether an unanswered request needs time to pass. Waits for a process do not count, since it may never end. */
  get forTime(): boolean {
    return [...this.#open.values()].some(({ changes, answered, isWait }) => changes && !answered && !isWait);
  }

  get unanswered(): RequestId[] {
    return [...this.#open].flatMap(([id, { answered }]) => (answered ? [] : [id]));
  }

  begin({ id, method }: engine.Request): void {
    this.#open.set(id, { changes: !isReading(method), answered: false, isWait: false, run: null });
  }

  over(id: RequestId): void {
    this.#open.delete(id);
  }

  /** For a wait, the path of the container as the client named it. Null for any other request. */
  routed(id: RequestId, route: string, target: string): string | null {
    const waiting = this.#open.get(id);
    if (waiting === undefined || route !== WAIT) return null;
    waiting.isWait = true;
    return target.split("?", 1)[0]!.replace(/\/wait\/?$/, "");
  }

  /**
   * Sets the current run that a wait is for. A wait for the next run has none: `docker run -d` sends one and leaves.
   */
  forEndOf(id: RequestId, run: types.Subject): void {
    const waiting = this.#open.get(id);
    if (waiting !== undefined) waiting.run = run;
  }

  replied(id: RequestId, command: replies.ReplyCommand): void {
    const waiting = this.#open.get(id);
    if (waiting === undefined) return;
    waiting.answered = true;
    if (command.tag !== "hijack" || command.val.stdio.tag !== "run" || !command.val.stdio.val.live) return;
    const { container, run } = command.val.stdio.val;
    waiting.run = { container, run };
  }

  /** The runs that still run and that a client is attached to or waits for. */
  awaited(goesOn: (run: types.Subject) => boolean): types.Subject[] {
    return [...this.#open.values()].flatMap(({ run }) => (run !== null && goesOn(run) ? [run] : []));
  }
}

/** RFC 9110, 9.2.1. */
export function isReading(method: string): boolean {
  return method === "GET" || method === "HEAD" || method === "OPTIONS";
}
