// Inputs that have not been taken yet. They wait while a step runs or while there is no instance. Requests do not wait
// if there will be none for a while.

import type { Ended } from "./effects.js";
import type { Input, Replies, RequestId } from "../shared/index.js";
import { refuse } from "../request/index.js";

export class Inbox {
  readonly #replies: Replies;
  #waiting: Input[] = [];
  #refusing: string | null = null;

  constructor(replies: Replies) {
    this.#replies = replies;
  }

  put(input: Input): void {
    const waits = whoWaits(input);
    if (this.#refusing !== null && waits !== null) refuse(this.#replies, waits, this.#refusing);
    else this.#waiting.push(input);
  }

  /** Passes the inputs to `take` one by one, including those that arrive meanwhile, as long as it returns true. */
  empty(take: (input: Input) => boolean): void {
    let taken = 0;
    while (taken < this.#waiting.length && take(this.#waiting[taken]!)) taken++;
    this.#waiting = this.#waiting.slice(taken);
  }

  /** Waiting requests, and those that arrive until `admit`, are told why they are refused. */
  refuse(why: string): void {
    this.#refusing = why;
    const waiting = this.#waiting;
    this.#waiting = waiting.filter((input) => whoWaits(input) === null);
    for (const request of waiting.map(whoWaits)) if (request !== null) refuse(this.#replies, request, why);
  }

  admit(): void {
    this.#refusing = null;
  }

  /** Drops inputs that the next instance does not need, because its inventory contains them. */
  keepForNext(): void {
    this.#waiting = this.#waiting.filter(outlivesInstance);
  }

  clear(): void {
    this.#waiting = [];
  }
}

function outlivesInstance(input: Input): boolean {
  return whoWaits(input) !== null || input.tag === "closed" || input.tag === "reloaded" || isEnd(input);
}

/** The request whose client has received nothing and waits for the core's answer. */
function whoWaits(input: Input): RequestId | null {
  if (input.tag === "request") return input.val.id;
  return input.tag === "source-failed" ? input.val.request : null;
}

/** Whether an input reports that something has ended by itself. */
export function isEnd(input: Input): input is Ended {
  return input.tag === "exited" || input.tag === "exec-exited";
}
