// The model's knowledge: containers, images, pending requests, and the times of failures.

import type { Answer, Fact } from "../simulator/oracle.js";
import type { Container } from "./container.js";
import { Images } from "./images.js";
import type { Read } from "./request.js";
import { Runtimes } from "./runtimes.js";
import { ANY } from "./wish.js";

/** A request without an answer. */
export interface Open {
  read: Read;
  since: number;
  /** The containers that it may be about. */
  about: Container[];
  /** The container that it creates. */
  makes: Container | null;
  /** The answer to an invalid request cannot be predicted. */
  isWild: boolean;
  text: string;
}

export type { Answer };
/** The start or end of a run. */
export type RunFact = Extract<Fact, { kind: "started" | "exited" }>;

export class Known {
  /** Counts the facts that the model was told. */
  now = 0;
  /** By number. */
  readonly open = new Map<number, Open>();
  readonly containers: Container[] = [];
  readonly images: Images;
  readonly runtimes: Runtimes;
  /** Facts about containers that no client knew yet. */
  readonly early: RunFact[] = [];
  /** When a host operation last failed, whatever it was about. */
  failedAt = -1;
  /** There may be containers whose clients were not told. */
  hasCrashed = false;
  /** A client has asked for a build. */
  hasBuilt = false;

  constructor(images = new Images(["busybox:latest"]), runtimes = new Runtimes(0)) {
    this.images = images;
    this.runtimes = runtimes;
  }

  byId(id: string | null): Container | undefined {
    return this.containers.find((one) => one.id !== null && one.id === id);
  }

  /** The containers that a text may mean. */
  candidates(ref: string, since: number): Container[] {
    const exact = this.containers.filter(
      (one) => one.id === ref || one.names.during(since).has(ref.replace(/^\//, "")),
    );
    if (exact.some((one) => isMeant(one, ref, since))) return exact;
    return this.containers.filter((one) => exact.includes(one) || one.id?.startsWith(ref) === true);
  }

  /** It may mean the container of a build's step, which no client has made: it is the prefix of an id. */
  mayMeanStep(ref: string): boolean {
    return this.hasBuilt && /^[0-9a-f]{1,63}$/.test(ref);
  }

  /** Its client disconnected before it was told an id, or its requested settings are unknown. */
  isSomeLost(): boolean {
    return this.containers.some(({ id, wish, words }) => (id === null || wish === ANY) && words.now.size > 1);
  }

  /**
   * Nothing is predicted for a start that depends on more than its container, nor for anything after a host failure.
   */
  mayFail(container: Container, since: number): boolean {
    return this.failedAt >= since || container.isFragile || container.hasFailed;
  }
}

/** It existed all the time, with this name or id. */
export function isMeant(container: Container, ref: string, since: number): boolean {
  if (!container.isCertain(since)) return false;
  const names = container.names.during(since);
  return container.id === ref || (names.size === 1 && names.has(ref.replace(/^\//, "")));
}

/** It may have existed. */
export function mayBe(container: Container, since: number): boolean {
  return [...container.words.during(since)].some((word) => word !== "gone");
}

/** An auto-remove container also removes itself after a failed start. */
export function failed(container: Container, now: number): void {
  container.hasFailed = true;
  if (container.wish.autoRemove) container.goesOn(now, "remove");
}
