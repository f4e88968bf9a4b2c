// One query for other name servers, until one of them has answered or none can.

import { ask } from "./attempt.js";
import { codeOf, failure, NOTIMP, REFUSED, SERVFAIL } from "./messages.js";
import type { Endable } from "./shares.js";
import type { Server, Transport } from "./sockets.js";

/** A server that has not answered after this long may be down: the next one is asked, too. */
const PATIENCE_MS = 1000;
/** The usual clients ask again after 5 seconds (resolv.conf(5)). */
const LIMIT_MS = 4500;

/** Answers with which a server says that another one might know better. */
const UNHELPFUL: readonly number[] = [SERVFAIL, NOTIMP, REFUSED];

export class Exchange implements Endable {
  readonly #open = new Set<() => void>();
  #next = 0;
  #patience: NodeJS.Timeout | undefined;
  #limit: NodeJS.Timeout | undefined;
  /** The first unhelpful answer, if there is no better one. */
  #unhelpful: Buffer | undefined;

  /** `answered` is called once. */
  constructor(
    private readonly servers: readonly Server[],
    private readonly query: Buffer,
    private readonly transport: Transport,
    private readonly answered: (answer: Buffer) => void,
  ) {}

  begin(): void {
    this.#limit = setTimeout(() => this.end(), LIMIT_MS);
    this.#askNext();
  }

  /** Answers with what there is. */
  end(): void {
    this.#finish(this.#unhelpful ?? failure(this.query, SERVFAIL));
  }

  #askNext(): void {
    clearTimeout(this.#patience);
    const server = this.servers[this.#next++];
    if (server === undefined) {
      if (this.#open.size === 0) this.end();
      return;
    }
    const stop = ask(this.transport, server, this.query, (answer) => this.#came(stop, answer));
    this.#open.add(stop);
    this.#patience = setTimeout(() => this.#askNext(), PATIENCE_MS);
  }

  #came(stop: () => void, answer: Buffer | undefined): void {
    this.#open.delete(stop);
    if (answer !== undefined && !UNHELPFUL.includes(codeOf(answer))) return this.#finish(answer);
    this.#unhelpful ??= answer;
    this.#askNext();
  }

  #finish(answer: Buffer): void {
    if (this.#limit === undefined) return;
    clearTimeout(this.#limit);
    clearTimeout(this.#patience);
    this.#limit = undefined;
    for (const stop of this.#open) stop();
    this.answered(answer);
  }
}
