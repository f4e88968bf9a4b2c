// Layers on their way: each is fetched once, however many pulls and loads want it, and given up when the last of them
// goes. Three download at a time, over all pulls.

import {
  ContentCommandLayer,
  Failure,
  Layer,
  Outcome,
  OutcomeSize,
  Phase,
  Progress,
} from "../../../build/bindings/types";
import { abandon, askContent } from "../ask";
import { Ignored } from "../ignored";
import { engine } from "../state";
import { Task } from "../task";
import { StoredLayer } from "./layers";

/** Docker's `max-concurrent-downloads`. */
export const LAYERS_AT_ONCE: i32 = 3;

export enum FetchState {
  Waiting,
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

export class LayerFetch extends Task {
  state: FetchState = FetchState.Waiting;
  /** Bytes so far in this state. */
  current: u64 = 0;
  readonly watchers: LayerWatcher[] = [];
  private op: u64 = 0;
  private givenUp: bool = false;
  private downloads: bool = false;

  constructor(
    private readonly fetches: LayerFetches,
    readonly layer: Layer,
  ) {
    super();
  }

  begin(): void {
    this.givenUp = false;
    this.downloads = true;
    this.state = FetchState.Downloading;
    this.current = 0;
    this.op = askContent(this, 0, new ContentCommandLayer(this.layer));
    this.tell();
  }

  giveUp(): void {
    if (this.givenUp || this.op == 0) return;
    this.givenUp = true;
    abandon(new Ignored(), 0, this.op);
  }

  progressed(_step: i32, progress: Progress): void {
    this.current = progress.current;
    this.state = stateOf(progress.phase);
    if (this.state >= FetchState.Downloaded) this.freeSlot();
    this.tell();
  }

  ended(_step: i32, outcome: Outcome | null, failure: Failure | null): void {
    this.op = 0;
    // Somebody may have come for it after it had been given up.
    if (failure !== null && this.givenUp && this.watchers.length > 0) this.fetches.again(this);
    else this.settle(outcome, failure);
    this.freeSlot();
    this.fetches.proceed();
  }

  private settle(outcome: Outcome | null, failure: Failure | null): void {
    this.state = FetchState.Ended;
    this.fetches.forget(this);
    const layer = this.layer;
    if (failure === null) {
      const size = (<OutcomeSize>outcome!).value;
      engine.images.layers.add(new StoredLayer(layer.chain, layer.parent, layer.diffId, size));
    }
    const watchers = this.watchers.splice(0);
    for (let i = 0; i < watchers.length; i++) watchers[i].ended(this, failure);
    engine.images.layers.dropUnclaimed(layer.chain);
  }

  private tell(): void {
    // A watcher may leave while it is told.
    const watchers = this.watchers.slice(0);
    for (let i = 0; i < watchers.length; i++) watchers[i].moved(this);
  }

  private freeSlot(): void {
    if (!this.downloads) return;
    this.downloads = false;
    this.fetches.slotFreed();
  }
}

export class LayerFetches {
  private readonly byChain: Map<string, LayerFetch> = new Map<string, LayerFetch>();
  /** In the order wanted: the chain below a layer stands before it. */
  private readonly waiting: LayerFetch[] = [];
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
    fetch.watchers.push(watcher);
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
    const at = fetch.watchers.indexOf(watcher);
    if (at >= 0) fetch.watchers.splice(at, 1);
    if (fetch.watchers.length > 0 || fetch.state == FetchState.Ended) return;
    const queued = this.waiting.indexOf(fetch);
    if (queued < 0) return fetch.giveUp();
    this.waiting.splice(queued, 1);
    this.forget(fetch);
  }

  again(fetch: LayerFetch): void {
    fetch.state = FetchState.Waiting;
    this.waiting.push(fetch);
  }

  forget(fetch: LayerFetch): void {
    this.byChain.delete(fetch.layer.chain);
  }

  slotFreed(): void {
    this.slots += 1;
    this.proceed();
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
