// The requests that the core has not ended. What becomes of them when an instance of the core is discarded.

import type { Replies, RequestId, engine, replies } from "./host.js";

/** `waiting`: nothing sent. `answering`: a head is out. Else the bytes come from this container, without the core. */
type State = "waiting" | "answering" | { container: string };

export class OpenRequests {
  readonly #states = new Map<RequestId, State>();
  /** Bound streams that no instance knows any more, by container. */
  readonly #orphans = new Map<RequestId, string>();

  begin(request: RequestId): void {
    this.#states.set(request, "waiting");
  }

  /** Over, because the client went or the stream ended by itself. */
  forget(request: RequestId): void {
    this.#states.delete(request);
    this.#orphans.delete(request);
  }

  /** Takes note of a reply that goes out; of none to a client that left while it waited to. */
  sent(request: RequestId, command: replies.ReplyCommand): void {
    if (!this.#states.has(request)) return;
    switch (command.tag) {
      case "whole":
      case "bare":
      case "end":
      case "cut":
        this.#states.delete(request);
        return;
      case "open":
        this.#states.set(request, "answering");
        return;
      case "splice":
        this.#states.set(request, { container: command.val.val.container });
        return;
      case "hijack":
        this.#states.set(request, { container: command.val.container });
        return;
      case "chunk":
        return;
    }
  }

  /** Answers 500 or cuts what waits for a core that is gone. Bound streams run on. */
  abandon(replies: Replies, message: string): void {
    for (const [request, state] of this.#states) {
      if (state === "waiting") refuse(replies, request, message);
      else if (state === "answering") replies.perform(request, { tag: "cut" });
      else this.#orphans.set(request, state.container);
    }
    this.#states.clear();
  }

  /** Ends the streams left over from an earlier instance whose container does not run any more. */
  endOrphans(replies: Replies, stopped: (container: string) => boolean): void {
    for (const [request, container] of this.#orphans) {
      if (!stopped(container)) continue;
      this.#orphans.delete(request);
      replies.perform(request, { tag: "end" });
    }
  }
}

/** Whether the inventory has a container's process running. */
export function runs(inventory: engine.Inventory, container: string): boolean {
  return inventory.processes.some((found) => found.container === container && found.state.tag === "running");
}

/** Answers 500 without asking the core. */
export function refuse(replies: Replies, request: RequestId, message: string): void {
  const body = new TextEncoder().encode(`${JSON.stringify({ message })}\n`);
  const head = { status: 500, headers: "Content-Type: application/json" };
  replies.perform(request, { tag: "whole", val: { head, body } });
}
