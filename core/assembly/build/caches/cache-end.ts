// The end of a cache's use, and of the cache.

import {
  Failure,
  Outcome,
  OutcomeSize,
  VolumeCommandDrop,
  VolumeCommandMeasure,
} from "../../../../build/bindings/types";
import { askVolumes } from "../../ask";
import { Removal } from "../../removal";
import { Task } from "../../task";
import { BuildCache } from "./build-cache";
import { cacheStore } from "./cache-store";

/** A step that held it is over. One whose files were never complete goes. */
export function leaveCache(cache: BuildCache): void {
  cacheStore.release(cache);
  cacheStore.used(cache);
  if (cache.ready) askVolumes(new Measuring(cache), 0, new VolumeCommandMeasure(cache.id));
  else dropCache(cache);
}

/** The record goes first: should the engine end before the files are gone, the next one finds them without a record. */
export function dropCache(cache: BuildCache): void {
  cacheStore.forget(cache);
  askVolumes(new Dropping(cache), 0, new VolumeCommandDrop(cache.id));
}

/** Counts the bytes of a cache. */
class Measuring extends Task {
  constructor(private readonly cache: BuildCache) {
    super();
  }

  /** A failure leaves the size of before: the next use counts again. */
  ended(_step: i32, outcome: Outcome | null, failure: Failure | null): void {
    if (failure === null) cacheStore.measured(this.cache, <i64>(<OutcomeSize>outcome!).value);
  }
}

class Dropping extends Removal {
  constructor(private readonly cache: BuildCache) {
    super(cache.size);
  }

  ended(step: i32, outcome: Outcome | null, failure: Failure | null): void {
    super.ended(step, outcome, failure);
    if (failure !== null) cacheStore.keepUseless(this.cache);
  }
}
