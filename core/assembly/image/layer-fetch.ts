// Layers on their way: each is fetched once, however many pulls and loads want it, and given up when the last of them
// goes. Three download at a time, over all pulls.

import {
  ContentCommandLayer,
  Credentials,
  Failure,
  Layer,
  LayerSource,
  LayerSourceArchived,
  LayerSourceRegistry,
  LayerSourceTag,
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
  private readonly wants: Want[] = [];
  private op: u64 = 0;
  private givenUp: bool = false;
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
    if (failure !== null && this.givenUp && this.isWanted) this.againFrom(this.wants[0].layer);
    else if (failure === null || !this.asksAnother(failure)) this.settle(outcome, failure);
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
    const wants = this.wants.splice(0);
    for (let i = 0; i < wants.length; i++) wants[i].watcher.ended(this, failure);
    engine.images.layers.dropUnclaimed(layer.chain);
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
    this.fetches.again(this);
  }

  private tell(): void {
    // A watcher may leave while it is told.
    const wants = this.wants.slice(0);
    for (let i = 0; i < wants.length; i++) wants[i].watcher.moved(this);
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

/** A registry that refuses one client's credentials may take another's. */
function isSameSource(one: LayerSource, other: LayerSource): bool {
  if (one.tag != other.tag) return false;
  if (one.tag == LayerSourceTag.Archived) {
    const member = (<LayerSourceArchived>one).value;
    const another = (<LayerSourceArchived>other).value;
    return member.archive == another.archive && member.path == another.path;
  }
  const from = (<LayerSourceRegistry>one).value.from;
  const its = (<LayerSourceRegistry>other).value.from;
  if (from.repository != its.repository || from.endpoint.authority != its.endpoint.authority) return false;
  return areSame(from.credentials, its.credentials);
}

function areSame(one: Credentials | null, other: Credentials | null): bool {
  if (one === null || other === null) return one === other;
  if (one.username != other.username || one.password != other.password) return false;
  return one.identityToken == other.identityToken && one.registryToken == other.registryToken;
}
