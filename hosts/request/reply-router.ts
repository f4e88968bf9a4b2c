// Routes the core's replies to the clients that wait for them.

import type { Replies, ReplyOrCut, RequestId } from "../shared/index.js";

/** One receiver. It never throws and never waits. */
export interface ReplyReceiver {
  perform(command: ReplyOrCut): void;
}

export class ReplyRouter implements Replies {
  readonly #receivers = new Map<RequestId, ReplyReceiver>();

  add(request: RequestId, receiver: ReplyReceiver): void {
    this.#receivers.set(request, receiver);
  }

  remove(request: RequestId): void {
    this.#receivers.delete(request);
  }

  /** Breaks off all current replies. */
  cutAll(): void {
    for (const receiver of this.#receivers.values()) receiver.perform({ tag: "cut" });
  }

  /** Drops replies that nobody waits for any more. */
  perform(request: RequestId, command: ReplyOrCut): void {
    this.#receivers.get(request)?.perform(command);
  }
}
