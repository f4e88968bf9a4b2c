// OCI runtimes, which change when the configuration is reloaded: a container keeps the runtime that it was created
// with, and cannot start without it.

import type { Answer } from "../simulator/oracle.js";
import type { Container } from "./container.js";
import type { Read } from "./request.js";
import { Timeline } from "./words.js";

/** The runtimes of a machine at a time. */
export interface Offer {
  runtimes: readonly string[];
  /** The default runtime. */
  usual: string;
}

export class Runtimes {
  readonly #offers: Timeline<Offer>;

  constructor(now: number, offers: Iterable<Offer> = []) {
    this.#offers = new Timeline(now, offers);
  }

  get now(): Iterable<Offer> {
    return this.#offers.now;
  }

  offered(now: number, offer: Offer): void {
    this.#offers.set(now, [offer]);
  }

  /** The possible runtimes of a newly created container. */
  of({ since, wish }: Container): Set<string> {
    return new Set([...this.#offers.during(since)].map(({ usual }) => wish.runtime || usual));
  }

  /** Whether a container's runtime has existed all the time since (true), never (false), or sometimes (null). */
  has({ runtimes }: Container, since: number): boolean | null {
    if (runtimes === null) return null;
    const offers = [...this.#offers.during(since)];
    const found = new Set(offers.flatMap((offer) => [...runtimes].map((name) => offer.runtimes.includes(name))));
    return found.size === 1 ? found.has(true) : null;
  }
}

interface Asking {
  read: Pick<Read, "verb">;
  since: number;
}

const GONE = /unknown or invalid runtime name: /;

/** For a request that starts one of these; undefined if the answer does not depend on the runtime. */
export function judgeRuntime(
  runtimes: Runtimes,
  about: readonly Container[],
  { read: { verb }, since }: Asking,
  { status, body }: Answer,
): string | null | undefined {
  const has = new Set(about.map((one) => runtimes.has(one, since)));
  if (GONE.test(body ?? "")) return has.size === 1 && has.has(true) ? "what it runs by is there" : null;
  // Nothing that could fail starts without it.
  const isBegun = status === 204 || (status >= 500 && verb === "start" && about.every((one) => !one.isFragile));
  return isBegun && has.size === 1 && has.has(false) ? "what it runs by is gone" : undefined;
}
