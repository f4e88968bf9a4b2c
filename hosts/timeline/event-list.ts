// The events up to a step, oldest first. Worlds of successive steps have one list in common, each up to its own length: a
// world for each of a day's steps takes no more room than the events themselves.

import type { EventView } from "./event-view.js";

export class EventList implements Iterable<EventView> {
  static readonly NONE = new EventList([], 0);

  readonly #common: EventView[];
  readonly length: number;

  private constructor(common: EventView[], length: number) {
    this.#common = common;
    this.length = length;
  }

  /** Those, and more after them; this list stays as it is. */
  with(more: readonly EventView[]): EventList {
    const isNewest = this.length > 0 && this.#common.length === this.length;
    const common = isNewest ? this.#common : this.#common.slice(0, this.length);
    for (const event of more) common.push(event);
    return new EventList(common, common.length);
  }

  /** Those from the given place on. */
  since(place: number): EventView[] {
    return this.#common.slice(Math.max(place, 0), this.length);
  }

  [Symbol.iterator](): Iterator<EventView> {
    return this.since(0)[Symbol.iterator]();
  }

  toJSON(): EventView[] {
    return this.since(0);
  }
}
