// The fetch of a layer, for all pulls and loads that want it: retried where that may help, and cancelled when nobody
// wants it any more.

import {
  ContentCommandDropChain,
  ContentCommandLayer,
  Failure,
  Layer,
  LayerSourceTag,
  Noun,
  Outcome,
  OutcomeSize,
  Phase,
  Progress,
} from "../../../../build/bindings/types";
import { abandon, askContent, cancelTimer, wakeAfter } from "../../ask";
import { FailureKind } from "../../failure/failure-kind";
import { kindOf } from "../../failure/kind";
import { lacks } from "../../failure/missing";
import { Ignored } from "../../ignored";
import { Task } from "../../task";
import { pauseAfter } from "./layer-retry";
import { layerRests } from "./layer-rests";
import { isSameSource } from "./layer-source";
import { layerStore, StoredLayer } from "./layer-store";

const SECOND: u64 = 1_000_000_000;

export enum FetchState {
  Waiting,
  /** The attempt failed, and is repeated after a pause. */
  Pausing,
  Downloading,
  Verifying,
  Downloaded,
  Extracting,
  /** The layer is not on disk yet, and so does not count as there. */
  Unpacked,
  Ended,
}

/** A pull or load that wants a layer. */
export abstract class LayerWatcher {
  /** It calls `flush` itself, for several layers at once. All others get layers that are on disk. */
  get asksForFlush(): bool {
    return false;
  }

  /** The fetch's state or progress has changed. */
  abstract moved(fetch: LayerFetch): void;

  /** The layer is there (claim it now), or the fetch failed. */
  abstract ended(fetch: LayerFetch, failure: Failure | null): void;
}

/** Where fetches wait for a slot among the downloads, or for each other. */
export interface FetchQueue {
  /** Flushes those of the fetches that await it. */
  flush(fetches: LayerFetch[]): void;
  /** Starts as many fetches as there are free slots. */
  proceed(): void;
  slotFreed(): void;
  /** Queues a fetch once more. */
  again(fetch: LayerFetch): void;
  /** The same once a layer below is there. */
  againAfter(fetch: LayerFetch, below: string): void;
  /** Queues those once more that waited for this layer below them. */
  beginAbove(chain: string): void;
  /** The next layer down, from this one on, that is still to be unpacked; null if there is none. */
  missingFrom(chain: string): string | null;
  forget(fetch: LayerFetch): void;
}

/** A watcher, and the source it named for the layer. */
class Want {
  constructor(
    readonly watcher: LayerWatcher,
    readonly layer: Layer,
  ) {}
}

export class LayerFetch extends Task {
  state: FetchState = FetchState.Waiting;
  /** Bytes so far in the current state. */
  current: u64 = 0;
  /** Seconds left in the pause. */
  secondsLeft: u32 = 0;
  private readonly wants: Want[] = [];
  private op: u64 = 0;
  /** Timer of the pause; 0 if there is none. */
  private timer: u64 = 0;
  /** Attempts with the current source. */
  private attempts: u32 = 0;
  /** An attempt failed, or the engine ended during one, and the host may have kept the bytes that had arrived. */
  private hasRest: bool = false;
  /** This attempt may continue with the bytes of an earlier one. */
  private resumes: bool = false;
  private givenUp: bool = false;
  /** The fetch holds one of the download slots. */
  private downloads: bool = false;
  /** Size of the unpacked files in bytes. */
  private size: u64 = 0;
  private isFlushing: bool = false;

  constructor(
    private readonly fetches: FetchQueue,
    /** The layer at the current source. */
    public layer: Layer,
  ) {
    super();
    this.hasRest = layerRests.take(layer.chain);
  }

  get isWanted(): bool {
    return this.wants.length > 0;
  }

  join(watcher: LayerWatcher, layer: Layer): void {
    this.wants.push(new Want(watcher, layer));
    if (this.awaitsFlush && !watcher.asksForFlush) this.fetches.flush([this]);
  }

  /** The layer is unpacked, and nobody has asked for the flush. */
  get awaitsFlush(): bool {
    return this.state == FetchState.Unpacked && !this.isFlushing;
  }

  flushBegun(): void {
    this.isFlushing = true;
  }

  flushEnded(failure: Failure | null): void {
    this.isFlushing = false;
    this.settle(failure);
    this.goOn();
  }

  /** Nobody wants the layer on disk at once. One that replaces another is never left unflushed: the other has its name. */
  private get mayStayUnflushed(): bool {
    if (this.layer.anew) return false;
    for (let i = 0; i < this.wants.length; i++) if (!this.wants[i].watcher.asksForFlush) return false;
    return true;
  }

  leave(watcher: LayerWatcher): void {
    for (let i = this.wants.length - 1; i >= 0; i--) {
      if (this.wants[i].watcher === watcher) this.wants.splice(i, 1);
    }
    if (this.isWanted && this.op == 0 && !this.isSourceWanted) this.turnTo(this.wants[0].layer);
  }

  private get isSourceWanted(): bool {
    for (let i = 0; i < this.wants.length; i++)
      if (isSameSource(this.wants[i].layer.source, this.layer.source)) return true;
    return false;
  }

  /** Nobody waits any more for the source that a pause or a queue was for. */
  private turnTo(layer: Layer): void {
    this.layer = layer;
    this.attempts = 0;
    if (this.timer == 0) return;
    cancelTimer(this.timer);
    this.timer = 0;
    if (this.downloads) return this.begin();
    this.fetches.again(this);
    this.goOn();
  }

  begin(): void {
    this.givenUp = false;
    this.downloads = true;
    this.attempts += 1;
    this.resumes = this.hasRest;
    this.state = FetchState.Downloading;
    this.current = 0;
    this.layer.unflushed = this.mayStayUnflushed;
    this.op = askContent(this, 0, new ContentCommandLayer(this.layer));
    this.tell();
  }

  giveUp(): void {
    if (this.timer != 0) return this.endPause();
    if (this.awaitsFlush) return this.letGo();
    if (this.givenUp || this.op == 0) return;
    this.givenUp = true;
    abandon(new Ignored(), 0, this.op);
  }

  progressed(_step: i32, progress: Progress): void {
    this.current = progress.current;
    this.state = stateOf(progress.phase);
    if (this.state >= FetchState.Downloaded && this.freeSlot()) this.fetches.proceed();
    this.tell();
  }

  ended(_step: i32, outcome: Outcome | null, failure: Failure | null): void {
    this.op = 0;
    if (failure !== null) this.noteRest(failure);
    const below: string | null = failure === null ? null : this.awaited(failure);
    if (failure !== null && below === null && this.pauses(failure)) return;
    // This comes first: a watcher that is notified may leave other
    // fetches, and this one may then start again with a new slot.
    this.freeSlot();
    // After it was cancelled, another watcher may have joined.
    if (failure !== null && this.givenUp && this.isWanted) this.againFrom(this.wants[0].layer);
    else if (below !== null) this.fetches.againAfter(this, below);
    else if (failure === null) this.unpacked((<OutcomeSize>outcome!).value);
    else if (!this.asksAnother(failure)) this.settle(failure);
    this.goOn();
  }

  elapsed(_step: i32): void {
    this.timer = 0;
    this.secondsLeft -= 1;
    if (this.secondsLeft > 0) return this.countDown();
    if (this.downloads) return this.begin();
    // The slot was given to another fetch after the download.
    this.fetches.again(this);
    this.goOn();
  }

  /** Nobody wants the layer any more, and no operation of this fetch is in flight. */
  letGo(): void {
    this.state = FetchState.Ended;
    this.dropRest();
    this.fetches.forget(this);
  }

  /** The layer below that the host did not find, because that one's fetch is to be retried. */
  private awaited(failure: Failure): string | null {
    const parent = this.layer.parent;
    if (this.givenUp || !this.isWanted) return null;
    if (parent === null || !lacks(failure, Noun.Layer)) return null;
    return this.fetches.missingFrom(parent);
  }

  /** False if the failure is final. */
  private pauses(failure: Failure): bool {
    if (this.givenUp || this.layer.source.tag != LayerSourceTag.Registry) return false;
    // Others may have joined for another source, and those who wanted this one have left.
    if (!this.isSourceWanted) return false;
    // A fetch without a slot had completed its download: the
    // bytes were the requested ones, and would be the same again.
    const pause = pauseAfter(this.attempts, failure, this.resumes && this.downloads);
    if (pause == 0) return false;
    this.state = FetchState.Pausing;
    this.current = 0;
    this.secondsLeft = pause;
    this.countDown();
    return true;
  }

  /** Also called for a cancelled attempt, so that the bytes the host kept can be dropped. */
  private noteRest(failure: Failure): void {
    if (this.layer.source.tag != LayerSourceTag.Registry) return;
    const kind = kindOf(failure);
    if (kind == FailureKind.Unreachable || kind == FailureKind.Interrupted) this.hasRest = true;
    if (kind == FailureKind.Corrupt) this.hasRest = false;
  }

  /** Starts waiting fetches; if this one has to wait, its watchers are told. */
  private goOn(): void {
    this.fetches.proceed();
    if (this.state == FetchState.Waiting) this.tell();
  }

  private countDown(): void {
    this.timer = wakeAfter(this, 0, SECOND);
    this.tell();
  }

  private endPause(): void {
    cancelTimer(this.timer);
    this.timer = 0;
    this.letGo();
    if (this.freeSlot()) this.fetches.proceed();
  }

  /** Drops the bytes that the host kept for another attempt. Those of a damaged layer stay: it may still be of use. */
  private dropRest(): void {
    if (this.hasRest && layerStore.find(this.layer.chain) === null)
      askContent(new Ignored(), 0, new ContentCommandDropChain(this.layer.chain));
    this.hasRest = false;
  }

  private unpacked(size: u64): void {
    this.size = size;
    if (!this.layer.unflushed) return this.settle(null);
    this.state = FetchState.Unpacked;
    // If nobody takes it, it is dropped.
    this.hasRest = true;
    this.fetches.beginAbove(this.layer.chain);
    if (!this.isWanted) return this.letGo();
    if (!this.mayStayUnflushed) return this.fetches.flush([this]);
    this.tell();
  }

  private settle(failure: Failure | null): void {
    this.state = FetchState.Ended;
    this.fetches.forget(this);
    const layer = this.layer;
    if (failure === null) {
      layerStore.add(new StoredLayer(layer.chain, layer.parent, layer.diffId, this.size));
    } else {
      this.dropRest();
      // What earlier instances left is room that somebody needs now.
      if (kindOf(failure) == FailureKind.Exhausted) layerRests.dropAll();
    }
    this.tellAll(failure);
    layerStore.dropUnclaimed(layer.chain);
  }

  private tellAll(failure: Failure | null): void {
    const wants = this.wants.splice(0);
    // One of several may give the layer up at once, before the next one has claimed it.
    const isHeld = failure === null && wants.length > 1;
    if (isHeld) layerStore.claim(this.layer.chain);
    for (let i = 0; i < wants.length; i++) wants[i].watcher.ended(this, failure);
    if (isHeld) layerStore.release(this.layer.chain);
  }

  /**
   * A failed source only counts for watchers that named it; others
   * get the layer from their own source. False if there are none.
   */
  private asksAnother(failure: Failure): bool {
    const failed: Want[] = [];
    const others: Want[] = [];
    for (let i = 0; i < this.wants.length; i++) {
      const want = this.wants[i];
      (isSameSource(want.layer.source, this.layer.source) ? failed : others).push(want);
    }
    if (others.length == 0) return false;
    this.wants.splice(0);
    for (let i = 0; i < others.length; i++) this.wants.push(others[i]);
    this.againFrom(others[0].layer);
    for (let i = 0; i < failed.length; i++) failed[i].watcher.ended(this, failure);
    return true;
  }

  private againFrom(layer: Layer): void {
    this.layer = layer;
    this.attempts = 0;
    this.fetches.again(this);
  }

  private tell(): void {
    // A watcher may leave during the loop.
    const wants = this.wants.slice(0);
    for (let i = 0; i < wants.length; i++) wants[i].watcher.moved(this);
  }

  /** Frees the slot, if the fetch holds one; `proceed` gives it to another. */
  private freeSlot(): bool {
    if (!this.downloads) return false;
    this.downloads = false;
    this.fetches.slotFreed();
    return true;
  }
}

function stateOf(phase: Phase): FetchState {
  switch (phase) {
    case Phase.Downloading:
      return FetchState.Downloading;
    case Phase.Verifying:
      return FetchState.Verifying;
    case Phase.Downloaded:
      return FetchState.Downloaded;
    default:
      return FetchState.Extracting;
  }
}
