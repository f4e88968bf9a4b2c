// Brings the core's replies to whoever asked.

import type { Replies, ReplyOrCut, RequestId } from "../shared/host.js";

/** One asker. Never throws, never waits. */
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

  /** Breaks off whatever is under way. */
  cutAll(): void {
    for (const receiver of this.#receivers.values()) receiver.perform({ tag: "cut" });
  }

  /** What nobody waits for any more is dropped. */
  perform(request: RequestId, command: ReplyOrCut): void {
    this.#receivers.get(request)?.perform(command);
  }
}
