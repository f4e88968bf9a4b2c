// Replies that do not depend on the state (`stateless` in replies.wit), as they went out, by the bytes of the request's
// head. The same request of the next moment is answered with them, without a step of the core.

/**
 * How long a reply is kept. The core still learns soon that requests arrive (it then sends readers of events less at a
 * time), traces show them, the date is right, and heads with credentials do not stay.
 */
const KEPT_MS = 5;
/** How many are kept, and of what size in bytes. */
const MOST = 64;
export const LONGEST_KEPT_HEAD = 1024;
const LONGEST_REPLY = 4096;

export class KeptReplies {
  readonly #now: () => number;
  readonly #replies = new Map<string, Buffer>();
  /** Of these replies. */
  #generation = 0;
  #timer: NodeJS.Timeout | null = null;

  /** `now`: the generation of stateless answers, as in `AssembledEngine`. */
  constructor(now: () => number) {
    this.#now = now;
  }

  get generation(): number {
    return this.#now();
  }

  find(head: string): Buffer | undefined {
    if (this.#timer === null) return undefined;
    if (this.#generation !== this.#now()) this.#drop();
    return this.#replies.get(head);
  }

  /** `generation`: when the request came. Its answer may be older than settings that came meanwhile. */
  keep(head: string, reply: Buffer, generation: number): void {
    if (generation !== this.#now() || head.length > LONGEST_KEPT_HEAD || reply.length > LONGEST_REPLY) return;
    if (this.#generation !== generation) this.#drop();
    if (this.#replies.size >= MOST) return;
    this.#generation = generation;
    this.#replies.set(head, reply);
    this.#timer ??= setTimeout(() => this.#drop(), KEPT_MS).unref();
  }

  #drop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#replies.clear();
  }
}
