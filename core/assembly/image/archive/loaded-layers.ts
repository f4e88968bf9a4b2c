// The layers of an image during a load. A few are unpacked at the same time, but progress lines and failures come layer
// after layer, from the base up: so do Docker's, which unpacks one after the other.

import { Failure, LayerSourceArchived, Member } from "../../../../build/bindings/types";
import { engine } from "../../state";
import { Image } from "../image";
import { FetchState, LayerFetch, LayerWatcher } from "../layers/layer-fetch";
import { layerFetches, wantedLayer } from "../layers/layer-fetches";
import { layerStore } from "../layers/layer-store";

/** While one waits for the disk, others keep the processors busy. Each of them needs memory in the host. */
const AT_ONCE: i32 = 3;
/** Nanoseconds between two progress lines. */
const LINE_INTERVAL: u64 = 100_000_000;

/** Waits for all layers of an image. `at`: the index of a layer. */
export interface LoadedLayersOwner {
  /** So many bytes of the layer are unpacked: 0 when its turn comes, and all of them at last. */
  layerTold(at: i32, current: u64): void;
  /** All layers are unpacked, some of them not on disk yet: `flush` is to be called. */
  layersUnpacked(): void;
  /** All layers exist, and are claimed until `release`. */
  layersDone(): void;
  /** The layer is not available, and all below it are. Others may be under way until `giveUp`. */
  layersFailed(at: i32, failure: Failure): void;
}

/** A layer in the archive. */
export class LayerMember {
  constructor(
    readonly member: Member,
    /** Size of its tar as it is in the archive. */
    readonly size: u64,
  ) {}
}

class Row {
  /** Null until the layer begins, and if it was there already. */
  fetch: LayerFetch | null = null;
  failure: Failure | null = null;
  /** The layer exists and is claimed. */
  claimed: bool = false;
  /** Its turn has come. */
  told: bool = false;

  get isUnderWay(): bool {
    return this.fetch !== null && this.failure === null && !this.claimed;
  }

  get isUnpacked(): bool {
    const fetch = this.fetch;
    return this.claimed || (fetch !== null && fetch.state == FetchState.Unpacked);
  }
}

export class LoadedLayers extends LayerWatcher {
  private readonly rows: Row[] = [];
  /** Layers below this index have begun. */
  private begun: i32 = 0;
  /** Index of the first layer that is not yet complete in the stream. */
  private turn: i32 = 0;
  /** A layer failed: no more are begun. */
  private failed: bool = false;
  /** All are unpacked, and this has been told. */
  private unpacked: bool = false;
  private toldAt: u64 = 0;

  constructor(
    private readonly owner: LoadedLayersOwner,
    private readonly image: Image,
    private readonly members: LayerMember[],
  ) {
    super();
    for (let i = 0; i < image.layers.length; i++) this.rows.push(new Row());
  }

  get asksForFlush(): bool {
    return true;
  }

  /**
   * Calls the owner's `layersDone` or `layersFailed` once, perhaps at once, and before `layersDone` the owner's
   * `layersUnpacked` if there is something to flush.
   */
  begin(): void {
    this.takeTurns();
  }

  /** All at once, not layer by layer: each flush also waits for what others write. */
  flush(): void {
    const fetches: LayerFetch[] = [];
    for (let i = 0; i < this.rows.length; i++) {
      const fetch = this.rows[i].fetch;
      if (fetch !== null && this.rows[i].isUnderWay) fetches.push(fetch);
    }
    layerFetches.flush(fetches);
  }

  /** Gives up all layers, from the top down. Those that nobody else wants are cancelled or dropped. */
  giveUp(): void {
    for (let i = this.begun - 1; i >= 0; i--) {
      const fetch = this.rows[i].fetch;
      if (fetch === null || !this.rows[i].isUnderWay) continue;
      this.rows[i].fetch = null;
      layerFetches.leave(fetch, this);
    }
    this.release();
  }

  /** The image now has claims of its own. Upper layers are released before those below. */
  release(): void {
    for (let i = this.begun - 1; i >= 0; i--) {
      if (!this.rows[i].claimed) continue;
      this.rows[i].claimed = false;
      layerStore.release(this.image.layers[i].chain);
    }
  }

  moved(fetch: LayerFetch): void {
    if (this.turn == this.rows.length) return;
    if (fetch.state == FetchState.Unpacked && this.indexOf(fetch) == this.turn) return this.takeTurns();
    if (fetch.state != FetchState.Extracting) return;
    const row = this.rows[this.turn];
    const now = engine.now.monotonic;
    if (row.fetch !== fetch || !row.told || now - this.toldAt < LINE_INTERVAL) return;
    this.toldAt = now;
    this.owner.layerTold(this.turn, fetch.current);
  }

  ended(fetch: LayerFetch, failure: Failure | null): void {
    const at = this.indexOf(fetch);
    if (at < 0) return;
    if (failure === null) this.claim(at);
    else this.fail(at, failure);
    if (at == this.turn) return this.takeTurns();
    if (failure !== null && at < this.turn) return this.owner.layersFailed(at, failure);
    if (this.unpacked && this.areAllThere) this.owner.layersDone();
  }

  private get areAllThere(): bool {
    for (let i = 0; i < this.rows.length; i++) if (!this.rows[i].claimed) return false;
    return true;
  }

  /** Goes on from layer to layer, as far as they are complete. */
  private takeTurns(): void {
    this.beginSome();
    while (this.turn < this.rows.length) {
      const row = this.rows[this.turn];
      if (row.fetch !== null && !row.told) this.announce(row);
      if (row.failure !== null) return this.owner.layersFailed(this.turn, row.failure!);
      if (!row.isUnpacked) return;
      if (row.told) this.owner.layerTold(this.turn, this.members[this.turn].size);
      this.turn += 1;
      this.beginSome();
    }
    this.unpacked = true;
    if (this.areAllThere) this.owner.layersDone();
    else this.owner.layersUnpacked();
  }

  private announce(row: Row): void {
    row.told = true;
    this.toldAt = engine.now.monotonic;
    this.owner.layerTold(this.turn, 0);
  }

  private beginSome(): void {
    while (!this.failed && this.begun < this.rows.length && this.begun < this.turn + AT_ONCE) {
      this.begun += 1;
      this.beginLayer(this.begun - 1);
    }
    layerFetches.proceed();
  }

  private beginLayer(at: i32): void {
    const layer = this.image.layers[at];
    if (layerStore.has(layer.chain)) return this.claim(at);
    const below: string | null = at == 0 ? null : this.image.layers[at - 1].chain;
    const source = new LayerSourceArchived(this.members[at].member);
    this.rows[at].fetch = layerFetches.want(wantedLayer(layer.chain, below, layer.diffId, source), this);
  }

  private claim(at: i32): void {
    layerStore.claim(this.image.layers[at].chain);
    this.rows[at].claimed = true;
  }

  private fail(at: i32, failure: Failure): void {
    this.failed = true;
    this.rows[at].failure = failure;
  }

  private indexOf(fetch: LayerFetch): i32 {
    for (let i = 0; i < this.begun; i++) if (this.rows[i].fetch === fetch) return i;
    return -1;
  }
}
