// The events up to a step, the oldest first. The worlds of consecutive steps share one list, each up to its own length.
// So the worlds of a whole day take no more room than the events themselves.

import type { EventView } from "./event-view.js";

export class EventList implements Iterable<EventView> {
  static readonly NONE = new EventList([], 0);

  readonly #common: EventView[];
  readonly length: number;

  private constructor(common: EventView[], length: number) {
    this.#common = common;
    this.length = length;
  }

  /** A list with more events at the end. This list does not change. */
  with(more: readonly EventView[]): EventList {
    const isNewest = this.length > 0 && this.#common.length === this.length;
    const common = isNewest ? this.#common : this.#common.slice(0, this.length);
    for (const event of more) common.push(event);
    return new EventList(common, common.length);
  }

  /** The events from the given index on. */
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
