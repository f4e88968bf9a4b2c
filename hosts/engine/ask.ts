// Requests of an engine's owner to that engine, through the same door as clients.

import type { Door } from "../request/index.js";
import type { Input, ReplyOrCut, RequestId } from "../shared/index.js";

/** The parts of a door for requests whose reply is neither spliced nor hijacked. */
export type PlainDoor = Omit<Door, "stdio" | "attachments">;

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

/**
 * Resolves with the complete reply; rejects if it is cut off. Not for replies that are spliced or hijacked. It does not
 * use `fetch`: the speed at which a platform reads a `Response` must not influence a world that is stepped through.
 */
export function ask({ method, target, headers, body }: InternalRequest, door: PlainDoor): Promise<InternalReply> {
  const id = door.nextRequest();
  return new Promise((resolve, reject) => {
    const settle = (outcome: () => void): void => {
      door.replies.remove(id);
      door.bodies.forget(id);
      outcome();
    };
    const reply = new CollectedReply(id, (input) => door.deliver(input));
    door.replies.add(id, {
      perform: (command) => {
        if (reply.take(command)) settle(() => resolve(reply.collected));
        else if (command.tag === "cut") settle(() => reject(new Error(`${method} ${target}: the reply was cut off`)));
      },
    });
    door.bodies.offer(id, body);
    const request = { id, listener: "internal", method, target, headers, body: { tag: "stream" } as const };
    door.deliver({ tag: "request", val: request });
  });
}

class CollectedReply {
  readonly #id: RequestId;
  readonly #deliver: (input: Input) => void;
  readonly #decoder = new TextDecoder();
  readonly collected: InternalReply = { status: 0, text: "" };

  constructor(id: RequestId, deliver: (input: Input) => void) {
    this.#id = id;
    this.#deliver = deliver;
  }

  /** True if the reply is complete. */
  take(command: ReplyOrCut): boolean {
    if (command.tag === "whole") {
      this.collected.status = command.val.head.status;
      this.#add(command.val.body);
    } else if (command.tag === "open") this.collected.status = command.val.status;
    else if (command.tag === "chunk") {
      this.#add(command.val);
      this.#deliver({ tag: "drained", val: { request: this.#id, bytes: command.val.length } });
    }
    return command.tag === "whole" || command.tag === "end";
  }

  #add(bytes: Uint8Array): void {
    this.collected.text += this.#decoder.decode(bytes, { stream: true });
  }
}
