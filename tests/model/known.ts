// What the model knows: containers, images, requests that are under way, and when something went wrong.

import type { Answer, Fact } from "../simulator/oracle.js";
import type { Container } from "./container.js";
import { Images } from "./images.js";
import type { Read } from "./request.js";
import { Runtimes } from "./runtimes.js";
import { ANY } from "./wish.js";

/** A request that has not been answered. */
export interface Open {
  read: Read;
  since: number;
  /** Whom it may be about. */
  about: Container[];
  /** That it makes. */
  makes: Container | null;
  /** Nobody can foretell what is answered to what nobody should ask. */
  isWild: boolean;
  text: string;
}

export type { Answer };
/** What becomes of a run. */
export type RunFact = Extract<Fact, { kind: "started" | "exited" }>;

export class Known {
  /** Counts what the model is told. */
  now = 0;
  /** By number. */
  readonly open = new Map<number, Open>();
  readonly containers: Container[] = [];
  readonly images: Images;
  readonly runtimes: Runtimes;
  /** What became of those whom nobody had been told of yet. */
  readonly early: RunFact[] = [];
  /** When something of a host failed last, whatever it was about. */
  failedAt = -1;
  /** There may be some whose clients were not told. */
  hasCrashed = false;

  constructor(images = new Images(["busybox:latest"]), runtimes = new Runtimes(0)) {
    this.images = images;
    this.runtimes = runtimes;
  }

  byId(id: string | null): Container | undefined {
    return this.containers.find((one) => one.id !== null && one.id === id);
  }

  /** Those that a text may mean. */
  candidates(ref: string, since: number): Container[] {
    const exact = this.containers.filter(
      (one) => one.id === ref || one.names.during(since).has(ref.replace(/^\//, "")),
    );
    if (exact.some((one) => isMeant(one, ref, since))) return exact;
    return this.containers.filter((one) => exact.includes(one) || one.id?.startsWith(ref) === true);
  }

  /** Its client went away before it heard of an id; or nobody knows what it was wished to be. */
  isSomeLost(): boolean {
    return this.containers.some(({ id, wish, words }) => (id === null || wish === ANY) && words.now.size > 1);
  }

  /** Nothing is foretold of a start whose container needs more than itself, nor of anything when a host has failed. */
  mayFail(container: Container, since: number): boolean {
    return this.failedAt >= since || container.wish.isFragile || container.hasFailed;
  }
}

/** It was there all the time, by this name or id. */
export function isMeant(container: Container, ref: string, since: number): boolean {
  if (!container.isCertain(since)) return false;
  const names = container.names.during(since);
  return container.id === ref || (names.size === 1 && names.has(ref.replace(/^\//, "")));
}

/** It may have been there. */
export function mayBe(container: Container, since: number): boolean {
  return [...container.words.during(since)].some((word) => word !== "gone");
}

/** One that removes itself does so after a start that failed, too. */
export function failed(container: Container, now: number): void {
  container.hasFailed = true;
  if (container.wish.autoRemove) container.goesOn(now, "remove");
}
