// The requests that the core has not finished, and what happens to them when an instance of the core is discarded.

import type { Input, Replies, RequestId, engine, replies } from "../shared/index.js";

/** `waiting`: nothing sent. `answering`: a head is out. Otherwise the bytes come without the core. */
type State = "waiting" | "answering" | Stream;

/** Ends with a container's run, with an exec, or by itself. */
export type Stream = { container: string } | { exec: string } | "finite";

export class OpenRequests {
  readonly #states = new Map<RequestId, State>();
  /** Bound streams that no instance knows any more. */
  readonly #orphans = new Map<RequestId, Stream>();

  /** `state`: `answering` if part of the reply is out already. */
  begin(request: RequestId, state: "waiting" | "answering" = "waiting"): void {
    this.#states.set(request, state);
  }

  get all(): RequestId[] {
    return [...this.#states.keys()];
  }

  /** Finished, because the client left or the stream ended by itself. */
  forget(request: RequestId): void {
    this.#states.delete(request);
    this.#orphans.delete(request);
  }

  /** Notes that a reply has gone out. Ignores clients that left before. */
  sent(request: RequestId, command: replies.ReplyCommand): void {
    if (!this.#states.has(request)) return;
    switch (command.tag) {
      case "whole":
      case "bare":
      case "end":
        this.#states.delete(request);
        return;
      case "open":
      // Its calls are requests of their own; what a session is for is lost with the instance.
      case "calls":
        this.#states.set(request, "answering");
        return;
      case "splice":
        this.#states.set(request, streamOf(command.val));
        return;
      case "hijack":
        this.#states.set(request, stdioOf(command.val.stdio));
        return;
      case "chunk":
        return;
    }
  }

  /** Answers 500, or cuts the connection, for requests that wait for an instance that is gone. Bound streams run on. */
  abandon(replies: Replies, message: string): void {
    for (const [request, state] of this.#states) {
      if (state === "waiting") refuse(replies, request, message);
      else if (state === "answering") replies.perform(request, { tag: "cut" });
      else this.#orphans.set(request, state);
    }
    this.#states.clear();
  }

  /** Ends streams of an earlier instance if their source no longer runs. */
  endOrphans(replies: Replies, ended: (stream: Stream) => boolean): void {
    for (const [request, stream] of this.#orphans) {
      if (!ended(stream)) continue;
      this.#orphans.delete(request);
      replies.perform(request, { tag: "end" });
    }
  }
}

function streamOf(source: replies.Source): Stream {
  return source.tag === "logs" ? { container: source.val.container } : "finite";
}

function stdioOf(stdio: replies.Stdio): Stream {
  return stdio.tag === "run" ? { container: stdio.val.container } : { exec: stdio.val };
}

/** Whether a stream's source is not running according to an inventory. */
export function endedIn({ processes, execs }: engine.Inventory): (stream: Stream) => boolean {
  return (stream) => {
    if (stream === "finite") return false;
    if ("exec" in stream) return !execs.some(({ exec, running }) => exec === stream.exec && running);
    return !processes.some(({ container, state }) => container === stream.container && state.tag === "running");
  };
}

/** Whether a stream's source ends with this input. */
export function endedBy(input: Input): (stream: Stream) => boolean {
  return (stream) => {
    if (stream === "finite") return false;
    if ("exec" in stream) return input.tag === "exec-exited" && input.val.exec === stream.exec;
    return input.tag === "exited" && input.val.container === stream.container;
  };
}

/** Answers 500 without asking the core. */
export function refuse(replies: Replies, request: RequestId, message: string): void {
  const body = new TextEncoder().encode(`${JSON.stringify({ message })}\n`);
  const head = { status: 500, headers: "Content-Type: application/json" };
  replies.perform(request, { tag: "whole", val: { head, body, stateless: false } });
}
