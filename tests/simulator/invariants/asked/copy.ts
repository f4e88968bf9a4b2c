// Copies of an engine in its current state, for questions that the story does not ask. Their outputs are never carried
// out.

import type { RequestId, engine, types } from "../../../../hosts/shared/host.js";
import type { Instance } from "../../../../hosts/driver/instance.js";
import type { StepOutputs } from "../../../../hosts/shared/outputs.js";
import type { Spares } from "../../spares.js";

/** A copy's immediate outputs for a request. */
export interface Reaction {
  /** Null if there is no answer yet. */
  status: number | null;
  body: string;
  /** Whether the answer is complete. */
  isWhole: boolean;
  records: StepOutputs["records"];
}

/** Asks an engine in its state at one moment. Each call starts from that state. */
export class Copies {
  readonly #spares: Spares;
  readonly #snapshot: Uint8Array;
  readonly #now: types.Instant;
  #next = 1n << 60n;

  constructor(spares: Spares, snapshot: Uint8Array, now: types.Instant) {
    [this.#spares, this.#snapshot, this.#now] = [spares, snapshot, now];
  }

  /** `target`: includes the version. */
  ask(method: string, target: string): Reaction {
    return this.askInTurn(method, [target])[0]!;
  }

  /** Sends several requests to the same copy, one after the other. */
  askInTurn(method: string, targets: readonly string[]): Reaction[] {
    const instance = this.#spares.take();
    instance.restore(this.#snapshot);
    const reactions = targets.map((target) => this.#asked(instance, method, target));
    this.#spares.give(instance);
    return reactions;
  }

  #asked(instance: Instance, method: string, target: string): Reaction {
    const id = ++this.#next;
    const request = { id, listener: "internal", method, target, headers: "", body: { tag: "none" } } as const;
    return reactionOf(id, instance.step(this.#now, { tag: "request", val: request satisfies engine.Request }));
  }
}

function reactionOf(id: RequestId, { replies, records }: StepOutputs): Reaction {
  const reaction: Reaction = { status: null, body: "", isWhole: false, records };
  const decoder = new TextDecoder();
  for (const { request, command } of replies) {
    if (request !== id) continue;
    if (command.tag === "open") reaction.status = command.val.status;
    if (command.tag === "whole") reaction.status = command.val.head.status;
    if (command.tag === "whole") reaction.body = decoder.decode(command.val.body);
    if (command.tag === "chunk") reaction.body += decoder.decode(command.val);
    if (command.tag === "whole" || command.tag === "end") reaction.isWhole = true;
  }
  return reaction;
}
