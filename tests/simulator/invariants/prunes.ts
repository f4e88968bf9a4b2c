// Checks that there is one prune of containers or networks at a time: a second one is refused at once, and a first one
// is never refused.

import type { RequestId } from "../../../hosts/shared/host.js";
import { Breach } from "../breach.js";
import type { Invariant, Seen } from "./invariant.js";

const PRUNE = /^(?:\/v[\d.]+)?\/(containers|networks)\/prune(?:\?|$)/;
const DONE = 200;
const CONFLICT = 409;

export class Prunes implements Invariant {
  /** The request of the pending prune. */
  #going: RequestId | null = null;

  stepped({ input, outputs, opening }: Seen): void {
    if (opening !== null) this.#going = null;
    const asked = input?.tag === "request" && input.val.method === "POST" ? input.val : null;
    const isPrune = PRUNE.test(asked?.target ?? "");
    for (const { request, command } of outputs.replies) {
      if (request === this.#going && command.tag === "whole") this.#going = null;
    }
    if (asked === null || !isPrune) return;
    const answer = outputs.replies.find(({ request }) => request === asked.id)?.command;
    const status = answer?.tag === "whole" ? answer.val.head.status : null;
    // An invalid request is refused for that reason.
    const goesOn = status === null || status === DONE;
    if (this.#going !== null && goesOn) broken(`${asked.target} starts during request ${this.#going}`);
    if (this.#going === null && status === CONFLICT)
      broken(`${asked.target} is refused, but no other prune is pending`);
    if (status === null) this.#going = asked.id;
  }
}

function broken(message: string): never {
  throw new Breach("prunes", message);
}
