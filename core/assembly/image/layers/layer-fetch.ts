// Layers on their way: each is fetched once, however many pulls and loads want it, tried again where that may help, and
// given up when the last of them goes. Three download at a time, over all pulls; one that pauses keeps its place.

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
import { isSameSource } from "./layer-source";
import { layerStore, StoredLayer } from "./layer-store";

/** Docker's `max-concurrent-downloads`. */
export const LAYERS_AT_ONCE: i32 = 3;

const SECOND: u64 = 1_000_000_000;

export enum FetchState {
  Waiting,
  /** It broke off, and is tried again after a pause. */
  Pausing,
  Downloading,
  Verifying,
  Downloaded,
  Extracting,
  Ended,
}

/** Whoever wants a layer. */
export abstract class LayerWatcher {
  /** Its state, or how far it is, has changed. */
  abstract moved(fetch: LayerFetch): void;

  /** It is there (claim it now), or it could not be had. */
  abstract ended(fetch: LayerFetch, failure: Failure | null): void;
}

/** Who wants a layer, and where from. */
class Want {
  constructor(
    readonly watcher: LayerWatcher,
    readonly layer: Layer,
  ) {}
}

export class LayerFetch extends Task {
  state: FetchState = FetchState.Waiting;
  /** Bytes so far in this state. */
  current: u64 = 0;
  /** Seconds that are left of the pause. */
  secondsLeft: u32 = 0;
  private readonly wants: Want[] = [];
  private op: u64 = 0;
  /** Of the pause; 0 for none. */
  private timer: u64 = 0;
  /** Of the source that is asked now. */
  private attempts: u32 = 0;
  /** An attempt broke off: the host may have kept what had come. */
  private hasRest: bool = false;
  /** This attempt may go on with an earlier one's bytes. */
  private resumes: bool = false;
  private givenUp: bool = false;
  /** It has one of the places. */
  private downloads: bool = false;

  constructor(
    private readonly fetches: LayerFetches,
    /** From the source that is asked now. */
    public layer: Layer,
  ) {
    super();
  }

  get isWanted(): bool {
    return this.wants.length > 0;
  }

  join(watcher: LayerWatcher, layer: Layer): void {
    this.wants.push(new Want(watcher, layer));
  }

  leave(watcher: LayerWatcher): void {
    for (let i = this.wants.length - 1; i >= 0; i--) {
      if (this.wants[i].watcher === watcher) this.wants.splice(i, 1);
    }
  }

  begin(): void {
    this.givenUp = false;
    this.downloads = true;
    this.attempts += 1;
    this.resumes = this.hasRest;
    this.state = FetchState.Downloading;
    this.current = 0;
    this.op = askContent(this, 0, new ContentCommandLayer(this.layer));
    this.tell();
  }

  giveUp(): void {
    if (this.timer != 0) return this.endPause();
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
    const awaitsParent = failure !== null && this.awaitsParent(failure);
    if (failure !== null && !awaitsParent && this.pauses(failure)) return;
    // First: a watcher that is told may let go of others, and this one may begin again then, with a place of its own.
    this.freeSlot();
    // Somebody may have come for it after it had been given up.
    if (failure !== null && this.givenUp && this.isWanted) this.againFrom(this.wants[0].layer);
    else if (awaitsParent) this.fetches.againAfter(this);
    else if (failure === null || !this.asksAnother(failure)) this.settle(outcome, failure);
    this.goOn();
  }

  elapsed(_step: i32): void {
    this.timer = 0;
    this.secondsLeft -= 1;
    if (this.secondsLeft > 0) return this.countDown();
    if (this.downloads) return this.begin();
    // Its place went to another when it had been downloaded.
    this.fetches.again(this);
    this.goOn();
  }

  /** Nobody wants it any more, and nothing of it is under way. */
  letGo(): void {
    this.state = FetchState.Ended;
    this.dropRest();
    this.fetches.forget(this);
  }

  /** The host needed the layer below, and did not find it, because that one is to be tried again. */
  private awaitsParent(failure: Failure): bool {
    const parent = this.layer.parent;
    if (this.givenUp || !this.isWanted) return false;
    if (parent === null || !lacks(failure, Noun.Layer)) return false;
    return this.fetches.isUnderWay(parent);
  }

  /** False when the failure is for good. */
  private pauses(failure: Failure): bool {
    if (this.givenUp || this.layer.source.tag != LayerSourceTag.Registry) return false;
    // Without its place it had been downloaded: its bytes were those asked for, and would be so again.
    const pause = pauseAfter(this.attempts, failure, this.resumes && this.downloads);
    if (pause == 0) return false;
    this.state = FetchState.Pausing;
    this.current = 0;
    this.secondsLeft = pause;
    this.countDown();
    return true;
  }

  /** Also of an attempt that nobody waits for any more: what the host keeps is then to be dropped. */
  private noteRest(failure: Failure): void {
    if (this.layer.source.tag != LayerSourceTag.Registry) return;
    if (kindOf(failure) == FailureKind.Unreachable) this.hasRest = true;
    if (kindOf(failure) == FailureKind.Corrupt) this.hasRest = false;
  }

  /** Begins what may begin now; who waits for this one is told when it is not among them. */
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

  /** What the host has kept for another attempt. */
  private dropRest(): void {
    if (this.hasRest) askContent(new Ignored(), 0, new ContentCommandDropChain(this.layer.chain));
    this.hasRest = false;
  }

  private settle(outcome: Outcome | null, failure: Failure | null): void {
    this.state = FetchState.Ended;
    this.fetches.forget(this);
    const layer = this.layer;
    if (failure === null) {
      const size = (<OutcomeSize>outcome!).value;
      layerStore.add(new StoredLayer(layer.chain, layer.parent, layer.diffId, size));
    } else {
      this.dropRest();
    }
    const wants = this.wants.splice(0);
    for (let i = 0; i < wants.length; i++) wants[i].watcher.ended(this, failure);
    layerStore.dropUnclaimed(layer.chain);
  }

  /** A source that fails does so for those who named it; who named another gets it from there. False if nobody did. */
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
    // A watcher may leave while it is told.
    const wants = this.wants.slice(0);
    for (let i = 0; i < wants.length; i++) wants[i].watcher.moved(this);
  }

  /** Whether it had a place; `proceed` gives that to another. */
  private freeSlot(): bool {
    if (!this.downloads) return false;
    this.downloads = false;
    this.fetches.slotFreed();
    return true;
  }
}

export class LayerFetches {
  private readonly byChain: Map<string, LayerFetch> = new Map<string, LayerFetch>();
  /** In the order wanted: the chain below a layer stands before it. */
  private readonly waiting: LayerFetch[] = [];
  /** Those that are asked for again once the layer below is there. */
  private readonly above: LayerFetch[] = [];
  private slots: i32 = LAYERS_AT_ONCE;

  /** Joins the fetch of a layer's chain, or puts one in the queue: `proceed` begins it. */
  want(layer: Layer, watcher: LayerWatcher): LayerFetch {
    const chain = layer.chain;
    if (!this.byChain.has(chain)) {
      const fetch = new LayerFetch(this, layer);
      this.byChain.set(chain, fetch);
      this.waiting.push(fetch);
    }
    const fetch = this.byChain.get(chain);
    fetch.join(watcher, layer);
    return fetch;
  }

  /** Begins as many as may download now. */
  proceed(): void {
    while (this.slots > 0 && this.waiting.length > 0) {
      this.slots -= 1;
      this.waiting.shift().begin();
    }
  }

  leave(fetch: LayerFetch, watcher: LayerWatcher): void {
    fetch.leave(watcher);
    if (fetch.isWanted || fetch.state == FetchState.Ended) return;
    if (!remove(this.waiting, fetch) && !remove(this.above, fetch)) return fetch.giveUp();
    fetch.letGo();
  }

  again(fetch: LayerFetch): void {
    fetch.state = FetchState.Waiting;
    this.waiting.push(fetch);
  }

  againAfter(fetch: LayerFetch): void {
    fetch.state = FetchState.Waiting;
    this.above.push(fetch);
  }

  isUnderWay(chain: string): bool {
    return this.byChain.has(chain);
  }

  forget(fetch: LayerFetch): void {
    const chain = fetch.layer.chain;
    this.byChain.delete(chain);
    for (let i = this.above.length - 1; i >= 0; i--) {
      if (this.above[i].layer.parent == chain) this.again(this.above.splice(i, 1)[0]);
    }
  }

  slotFreed(): void {
    this.slots += 1;
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

function remove(from: LayerFetch[], fetch: LayerFetch): bool {
  const at = from.indexOf(fetch);
  if (at < 0) return false;
  from.splice(at, 1);
  return true;
}

export const layerFetches: LayerFetches = new LayerFetches();
