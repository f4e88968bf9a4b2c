// OCI runtimes, which come and go as the configuration is read again: a container keeps the one that it was created with,
// and is not started without it.

import type { Answer } from "../simulator/oracle.js";
import type { Container } from "./container.js";
import type { Read } from "./request.js";
import { Timeline } from "./words.js";

/** What a machine has at a time. */
export interface Offer {
  runtimes: readonly string[];
  /** Of whoever asks for none. */
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

  /** Those of which a container that has just been created has one. */
  of({ since, wish }: Container): Set<string> {
    return new Set([...this.#offers.during(since)].map(({ usual }) => wish.runtime || usual));
  }

  /** Whether what a container runs by has been there ever since (true), at no time (false), or now and then. */
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

/** Of a request that starts one of these; undefined if the answer has nothing to do with what it runs by. */
export function judgeRuntime(
  runtimes: Runtimes,
  about: readonly Container[],
  { read: { verb }, since }: Asking,
  { status, body }: Answer,
): string | null | undefined {
  const has = new Set(about.map((one) => runtimes.has(one, since)));
  if (GONE.test(body ?? "")) return has.size === 1 && has.has(true) ? "what it runs by is there" : null;
  // Nothing is begun without it that could fail.
  const isBegun = status === 204 || (status >= 500 && verb === "start" && about.every(({ wish }) => !wish.isFragile));
  return isBegun && has.size === 1 && has.has(false) ? "what it runs by is gone" : undefined;
}
