// Places that containers share, as `shares.ts` says. Who comes when all are taken waits a moment for one, and only then the
// oldest has to give way. So a few more than can be served at once are served one after the other.

import { Shares, type Endable } from "./shares.js";

/** Something that begins when it has a place. It may have to end before that, too. */
export interface Placed extends Endable {
  begin(): void;
}

const PATIENCE_MS = 1000;

export class Places<T extends Placed> {
  readonly #held: Shares<T>;
  /** As many as have a place. */
  readonly #waiting: Shares<T>;
  /** Of those that wait, in their order. */
  readonly #patience = new Map<T, { holder: string; timer: NodeJS.Timeout }>();

  constructor(mostOfAll: number, mostOfOne: number) {
    this.#held = new Shares(mostOfAll, mostOfOne);
    this.#waiting = new Shares(mostOfAll, mostOfOne);
  }

  enter(holder: string, one: T): void {
    if (this.#held.hasRoomFor(holder)) return this.#begin(holder, one);
    this.#patience.set(one, { holder, timer: setTimeout(() => this.#begin(holder, one), PATIENCE_MS) });
    this.#waiting.enter(holder, one);
  }

  leave(holder: string, one: T): void {
    this.#waitNoMore(holder, one);
    if (this.#held.leave(holder, one)) this.#beginNext();
  }

  endAll(holder: string): void {
    this.#waiting.endAll(holder);
    this.#held.endAll(holder);
  }

  /** With those that wait. */
  get total(): number {
    return this.#held.total + this.#waiting.total;
  }

  #beginNext(): void {
    for (const [one, { holder }] of this.#patience) if (this.#held.hasRoomFor(holder)) return this.#begin(holder, one);
  }

  #begin(holder: string, one: T): void {
    this.#waitNoMore(holder, one);
    this.#held.enter(holder, one);
    one.begin();
  }

  #waitNoMore(holder: string, one: T): void {
    clearTimeout(this.#patience.get(one)?.timer);
    this.#patience.delete(one);
    this.#waiting.leave(holder, one);
  }
}
