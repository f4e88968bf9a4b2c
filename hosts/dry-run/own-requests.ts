// Sends a dry run's own GET requests to its core, in the same way as clients' requests. Clients do not see them.

import type { Input, RequestId, replies } from "../shared/index.js";

import { parsed } from "./readable.js";

type Told = (json: unknown) => void;

export class OwnRequests {
  readonly #deliver: (input: Input) => void;
  readonly #whole = new Map<RequestId, Told>();
  readonly #lines = new Map<RequestId, { told: Told; rest: string }>();

  constructor(deliver: (input: Input) => void) {
    this.#deliver = deliver;
  }

  has(id: RequestId): boolean {
    return this.#whole.has(id) || this.#lines.has(id);
  }

  /** Calls `told` with the answer, but not if it is a refusal. */
  ask(id: RequestId, target: string, told: Told): void {
    this.#whole.set(id, told);
    this.#send(id, target);
  }

  /** Calls `told` with each line of an endless answer. */
  follow(id: RequestId, target: string, told: Told): void {
    this.#lines.set(id, { told, rest: "" });
    this.#send(id, target);
  }

  /** False if the reply is for a client. */
  take(id: RequestId, command: replies.ReplyCommand): boolean {
    if (!this.has(id)) return false;
    if (command.tag === "chunk") this.#chunk(id, command.val);
    else if (command.tag === "whole") this.#answer(id, command.val);
    return true;
  }

  #send(id: RequestId, target: string): void {
    const request = { id, listener: "internal", method: "GET", target, headers: "Host: dry-run" };
    this.#deliver({ tag: "request", val: { ...request, body: { tag: "none" } } });
  }

  #answer(id: RequestId, { head, body }: replies.Whole): void {
    const told = this.#whole.get(id);
    this.#whole.delete(id);
    if (head.status === 200) told?.(JSON.parse(new TextDecoder().decode(body)));
  }

  #chunk(id: RequestId, bytes: Uint8Array): void {
    const following = this.#lines.get(id);
    if (following === undefined) return;
    const lines = (following.rest + new TextDecoder().decode(bytes)).split("\n");
    following.rest = lines.pop()!;
    for (const line of lines) if (line.trim() !== "") following.told(parsed(line));
    this.#deliver({ tag: "drained", val: { request: id, bytes: bytes.length } });
  }
}
