// Gets a cache for a step: one that is there and may be used, or a new one. A cache that another step has locked is waited
// for (`sharing=locked`), or another one is made (`shared`, `private`), as BuildKit does.

import {
  ContentCommandStat,
  DirectoryOwner,
  Failure,
  FailureCall,
  FailureTag,
  Outcome,
  OutcomeStat,
  Populate,
  VolumeCommandMake,
  VolumeCommandPopulate,
} from "../../../../build/bindings/types";
import { askContent, askVolumes, wakeAfter } from "../../ask";
import { isDirectory } from "../../container/files/file-mode";
import { errnoText } from "../../failure/call";
import { failureText } from "../../failure/text";
import { Task } from "../../task";
import { Place } from "../run/place";
import { BuildCache } from "./build-cache";
import { leaveCache } from "./cache-end";
import { cacheStore } from "./cache-store";

/** Nanoseconds until a cache that others hold is asked for again. */
const PAUSE: u64 = 100_000_000;

/** What a mount asks for. */
export class CacheWish {
  constructor(
    readonly key: string,
    readonly name: string,
    /** `shared`, `private` or `locked`. */
    readonly sharing: string,
    /** What a new one is filled from: a path in the files of a chain. Null for nothing. */
    readonly chain: string | null,
    readonly path: string,
    /** Null for those of the directory that fills it. */
    readonly owner: DirectoryOwner | null,
  ) {}
}

/** Waits for a cache. */
export interface LeaseClient {
  leased(cache: BuildCache): void;
  notLeased(why: string): void;
}

enum Step {
  Wait,
  Mount,
  Look,
  Make,
  Fill,
}

export class CacheLease extends Task {
  private cache: BuildCache | null = null;
  private place: Place | null = null;
  private cancelled: bool = false;

  constructor(
    private readonly wish: CacheWish,
    private readonly client: LeaseClient,
  ) {
    super();
  }

  begin(): void {
    const wish = this.wish;
    const isShared = wish.sharing == "shared";
    const cache = cacheStore.take(wish.key, isShared);
    if (cache !== null) return this.lease(cache);
    const waits = isShared
      ? cacheStore.isBeingMade(wish.key)
      : wish.sharing == "locked" && cacheStore.isTaken(wish.key);
    if (waits) wakeAfter(this, Step.Wait, PAUSE);
    else this.make(cacheStore.begin(wish.key, wish.name, !isShared));
  }

  elapsed(_step: i32): void {
    if (!this.cancelled) this.begin();
  }

  ended(step: i32, outcome: Outcome | null, failure: Failure | null): void {
    if (this.cancelled) return this.drop();
    if (failure !== null) return this.fail(step == Step.Look ? this.noSource(failure) : failureText(failure));
    if (step == Step.Mount && this.wish.path != "/") this.look();
    else if (step == Step.Look && !isDirectory((<OutcomeStat>outcome!).value.mode)) {
      this.fail(`${this.sourceText}: ${errnoText("ENOTDIR")}`);
    } else if (step == Step.Mount || step == Step.Look) {
      askVolumes(this, Step.Make, new VolumeCommandMake(this.cache!.id));
    } else if (step == Step.Make) {
      const filling = new Populate(this.cache!.id, this.place!.id, this.wish.path, null, this.wish.owner);
      askVolumes(this, Step.Fill, new VolumeCommandPopulate(filling));
    } else {
      this.place!.drop();
      cacheStore.made(this.cache!);
      this.lease(this.cache!);
    }
  }

  /** The client is told nothing more. What is being made goes when the host is done with it. */
  cancel(): void {
    this.cancelled = true;
  }

  private lease(cache: BuildCache): void {
    this.client.leased(cache);
  }

  private make(cache: BuildCache): void {
    this.cache = cache;
    const place = new Place(this.wish.chain);
    this.place = place;
    place.mount(this, Step.Mount);
  }

  /** A cache that silently begins empty would hide a wrong name. */
  private look(): void {
    const source = this.place!.at(this.wish.path);
    askContent(this, Step.Look, new ContentCommandStat(source));
  }

  private noSource(failure: Failure): string {
    if (failure.tag != FailureTag.Call) return failureText(failure);
    return `${this.sourceText}: ${errnoText((<FailureCall>failure).value.error)}`;
  }

  /** As the core words it for a bind. */
  private get sourceText(): string {
    return `cannot access path ${this.wish.path.slice(1)} of the image that is mounted`;
  }

  private fail(why: string): void {
    this.drop();
    this.client.notLeased(why);
  }

  private drop(): void {
    this.place!.drop();
    leaveCache(this.cache!);
  }
}
