// Requests of the daemon to its own engine: the same door as for clients, without a socket.

import type { Input, ReplyOrCut, RequestId } from "../host.js";
import type { RequestBodies } from "../bodies.js";
import type { ReplyRouter } from "../reply-router.js";
import type { RequestInputs } from "./request-inputs.js";

export interface InternalRequest {
  method: string;
  target: string;
  headers: string;
  body: AsyncIterable<Uint8Array>;
}

export interface InternalReply {
  status: number;
  text: string;
}

/** Resolves with the whole reply. Not for what is spliced or hijacked. */
export function ask(
  request: InternalRequest,
  { driver, replies, bodies }: { driver: RequestInputs; replies: ReplyRouter; bodies: RequestBodies },
): Promise<InternalReply> {
  const id = driver.nextRequest();
  const { method, target, headers, body } = request;
  return new Promise((resolve, reject) => {
    const settle = (outcome: () => void): void => {
      replies.remove(id);
      bodies.forget(id);
      outcome();
    };
    const reply = new CollectedReply(id, (input) => driver.deliver(input));
    replies.add(id, {
      perform: (command) => {
        if (reply.take(command)) settle(() => resolve(reply.collected()));
        else if (command.tag === "cut") settle(() => reject(new Error(`${method} ${target}: the reply was cut off`)));
      },
    });
    bodies.offer(id, body);
    driver.deliver({
      tag: "request",
      val: { id, listener: "internal", method, target, headers, body: { tag: "stream" } },
    });
  });
}

class CollectedReply {
  readonly #id: RequestId;
  readonly #deliver: (input: Input) => void;
  readonly #chunks: Uint8Array[] = [];
  #status = 0;

  constructor(id: RequestId, deliver: (input: Input) => void) {
    this.#id = id;
    this.#deliver = deliver;
  }

  /** True when the reply is complete. */
  take(command: ReplyOrCut): boolean {
    if (command.tag === "whole") {
      this.#status = command.val.head.status;
      this.#chunks.push(command.val.body);
    } else if (command.tag === "open") this.#status = command.val.status;
    else if (command.tag === "chunk") {
      this.#chunks.push(command.val);
      this.#deliver({ tag: "drained", val: { request: this.#id, bytes: command.val.length } });
    }
    return command.tag === "whole" || command.tag === "end";
  }

  collected(): InternalReply {
    return { status: this.#status, text: Buffer.concat(this.#chunks).toString() };
  }
}
