// What a client has sent of a directory, kept for its next build: of what has not changed since, nothing crosses the socket
// again. Which directory it is follows from its name and from what the client calls the session (moby/buildkit,
// source/local: "shared key"); a wrong guess only makes the client send more.
//
// The host compares and keeps (`content.session-files`). Two builds of one directory at once read the same files, and the
// one that ends last leaves its own.

import {
  Failure,
  Outcome,
  OutcomeSize,
  VolumeCommandMake,
  VolumeCommandMeasure,
} from "../../../../../build/bindings/types";
import { askVolumes } from "../../../ask";
import { Task } from "../../../task";
import { sha256HexOfText } from "../../../text/sha256";
import { BuildCache } from "../../caches/build-cache";
import { dropCache } from "../../caches/cache-end";
import { cacheStore, isInUse } from "../../caches/cache-store";
import { notedUses } from "../../caches/noted-uses";
import { Session } from "./sessions";

/** Directories whose files are kept. */
const MOST_DIRECTORIES: i32 = 32;
/** Bytes of all of them: 4 GiB. */
const MOST_BYTES: i64 = 4 << 30;

enum Step {
  Make,
  Measure,
}

/** One transfer. */
export class KeptFiles extends Task {
  private cache: BuildCache | null = null;
  /** The volume is there. */
  private isMade: bool = false;

  /** The volume for the files; null if another build is just sending them for the first time. */
  begin(session: Session, directory: string): string | null {
    const key = `sent:${sha256HexOfText(`${directory}\n${session.sharedKey}`)}`;
    let cache = cacheStore.take(key, true);
    if (cache !== null) {
      this.isMade = true;
    } else {
      if (cacheStore.isBeingMade(key)) return null;
      cache = cacheStore.begin(key, directory, false, true);
      askVolumes(this, Step.Make, new VolumeCommandMake(cache.id));
    }
    this.cache = cache;
    return cache.id;
  }

  /** The transfer is over. `isWhole`: all files have come. */
  end(isWhole: bool): void {
    const cache = this.cache;
    if (cache === null) return;
    this.cache = null;
    if (!cache.ready && isWhole && this.isMade) cacheStore.made(cache);
    cacheStore.release(cache);
    notedUses.cache(cache);
    if (cache.ready) askVolumes(new Measuring(cache), Step.Measure, new VolumeCommandMeasure(cache.id));
    else dropCache(cache);
  }

  ended(_step: i32, _outcome: Outcome | null, failure: Failure | null): void {
    this.isMade = failure === null;
  }
}

/** Counts the bytes that are kept, of which there may be too many now. */
class Measuring extends Task {
  constructor(private readonly cache: BuildCache) {
    super();
  }

  ended(_step: i32, outcome: Outcome | null, failure: Failure | null): void {
    if (failure === null) cacheStore.measured(this.cache, <i64>(<OutcomeSize>outcome!).value);
    dropExcess();
  }
}

/** The files that were not needed for the longest time go first. */
function dropExcess(): void {
  const kept = cacheStore.all().filter((cache) => cache.ofClient);
  kept.sort((a, b) => (a.newestUse == b.newestUse ? 0 : a.newestUse < b.newestUse ? -1 : 1));
  let bytes: i64 = 0;
  for (let i = 0; i < kept.length; i++) bytes += kept[i].size;
  let count = kept.length;
  for (let i = 0; i < kept.length && (count > MOST_DIRECTORIES || bytes > MOST_BYTES); i++) {
    if (isInUse(kept[i])) continue;
    count -= 1;
    bytes -= kept[i].size;
    dropCache(kept[i]);
  }
}
