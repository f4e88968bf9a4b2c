// What the clients of a dry run wait for: an answer that time will bring, or the end of a process.

import type { RequestId, engine, replies, types } from "../shared/host.js";

interface Waiting {
  /** It may change something. */
  changes: boolean;
  answered: boolean;
  /** It waits for a container's end. */
  isWait: boolean;
  /** The run that it is attached to, or whose end it waits for. */
  run: types.Subject | null;
}

/** As the core's notes call it: core/wit/engine.wit promises this text. */
export const WAIT = "POST /containers/{name}/wait";

export class Waits {
  readonly #open = new Map<RequestId, Waiting>();

  get any(): boolean {
    return this.#open.size > 0;
  }

  /** Somebody has no answer to what only goes on with time: not the end of a process, which may never come. */
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

  /** The path of the container whose end is waited for, as the client named it; null for any other request. */
  routed(id: RequestId, route: string, target: string): string | null {
    const waiting = this.#open.get(id);
    if (waiting === undefined || route !== WAIT) return null;
    waiting.isWait = true;
    return target.split("?", 1)[0]!.replace(/\/wait\/?$/, "");
  }

  /** What a wait is for: a run that goes on. One for a run to come is not: `docker run -d` asks so, and then leaves. */
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

  /** Of the runs that somebody is attached to, or whose end somebody waits for, those that go on. */
  awaited(goesOn: (run: types.Subject) => boolean): types.Subject[] {
    return [...this.#open.values()].flatMap(({ run }) => (run !== null && goesOn(run) ? [run] : []));
  }
}

/** RFC 9110, 9.2.1. */
export function isReading(method: string): boolean {
  return method === "GET" || method === "HEAD" || method === "OPTIONS";
}
