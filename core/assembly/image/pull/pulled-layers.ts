// The layers of an image during a pull, and their progress lines (surface §6.3): downloads as they happen, but
// `Extracting` and `Pull complete` strictly from the base up.

import { Failure, LayerSource } from "../../../../build/bindings/types";
import { engine } from "../../state";
import { Image } from "../image";
import { Claims } from "../layers/claims";
import { FetchState, LayerFetch, LayerWatcher } from "../layers/layer-fetch";
import { layerFetches, wantedLayer } from "../layers/layer-fetches";
import { retryingIn } from "../layers/layer-retry";
import { layerStore } from "../layers/layer-store";
import { ProgressStream } from "../progress-stream";

/** Waits for all layers of an image. */
export interface LayersOwner {
  /** All layers exist, and are claimed by the `Unpacking`. */
  layersDone(): void;
  /** A layer is not available. The others stay wanted until the `Unpacking` is given up. */
  layersFailed(failure: Failure): void;
}

/** Nanoseconds between two progress lines of a layer. */
const LINE_INTERVAL: u64 = 100_000_000;

/** The last progress line of a layer. */
enum Said {
  Nothing,
  Checksum,
  Downloaded,
  Complete,
}

class Row {
  fetch: LayerFetch | null = null;
  /** The layer exists and is claimed. */
  done: bool = false;
  said: Said = Said.Nothing;
  /** Time of the last progress line; 0 for never. */
  toldAt: u64 = 0;

  constructor(
    readonly id: string,
    /** Compressed size in bytes. */
    readonly total: u64,
  ) {}
}

/** The source of a layer, and its id in progress lines. */
export class LayerOrigin {
  constructor(
    readonly source: LayerSource,
    readonly id: string,
    readonly total: u64,
  ) {}
}

export class Unpacking extends LayerWatcher {
  private readonly rows: Row[] = [];
  private readonly claims: Claims = new Claims();
  /** Index of the first layer that is not yet complete in the stream. */
  private turn: i32 = 0;
  /** A layer is not available: nobody is told of the others any more. */
  private failed: bool = false;

  constructor(
    private readonly owner: LayersOwner,
    private readonly stream: ProgressStream,
    private readonly image: Image,
  ) {
    super();
  }

  /** Finally calls the owner's `layersDone` or `layersFailed`, perhaps at once. */
  begin(origins: LayerOrigin[]): void {
    const layers = this.image.layers;
    for (let i = 0; i < layers.length; i++) this.announce(i, origins[i]);
    for (let i = 0; i < this.rows.length; i++) this.want(i, origins[i]);
    layerFetches.proceed();
    for (let i = 0; i < this.rows.length; i++) {
      const fetch = this.rows[i].fetch;
      if (fetch !== null) this.moved(fetch);
    }
    this.takeTurns();
  }

  /** Gives up all layers. Those that nobody else wants are cancelled or dropped, from the top down. */
  giveUp(): void {
    for (let i = this.rows.length - 1; i >= 0; i--) {
      const fetch = this.rows[i].fetch;
      if (fetch === null || this.rows[i].done) continue;
      this.rows[i].done = true;
      layerFetches.leave(fetch, this);
    }
    this.release();
  }

  /** The image now has claims of its own. */
  release(): void {
    this.claims.release();
  }

  moved(fetch: LayerFetch): void {
    const at = this.indexOf(fetch);
    if (at < 0 || this.failed) return;
    const row = this.rows[at];
    if (fetch.state == FetchState.Waiting) this.stream.layer("Waiting", row.id);
    if (fetch.state == FetchState.Pausing) this.stream.layer(retryingIn(fetch.secondsLeft), row.id);
    if (fetch.state == FetchState.Downloading) this.amount(row, at, "Downloading", fetch.current);
    if (fetch.state >= FetchState.Verifying) this.say(row, Said.Checksum);
    if (fetch.state >= FetchState.Downloaded) this.say(row, Said.Downloaded);
    if (fetch.state == FetchState.Extracting && at == this.turn) this.amount(row, at, "Extracting", fetch.current);
  }

  ended(fetch: LayerFetch, failure: Failure | null): void {
    const at = this.indexOf(fetch);
    if (at < 0) return;
    const row = this.rows[at];
    row.done = true;
    if (failure === null) this.claim(at);
    if (this.failed) return;
    if (failure !== null) {
      this.failed = true;
      return this.owner.layersFailed(failure);
    }
    this.say(row, Said.Downloaded);
    this.takeTurns();
  }

  private announce(at: i32, origin: LayerOrigin): void {
    const row = new Row(origin.id, origin.total);
    this.rows.push(row);
    if (layerStore.has(this.image.layers[at].chain)) {
      row.done = true;
      row.said = Said.Complete;
      this.claim(at);
      this.stream.layer("Already exists", row.id);
    } else {
      this.stream.layer("Pulling fs layer", row.id);
    }
  }

  private want(at: i32, origin: LayerOrigin): void {
    if (this.rows[at].done) return;
    const layer = this.image.layers[at];
    const below: string | null = at == 0 ? null : this.image.layers[at - 1].chain;
    this.rows[at].fetch = layerFetches.want(wantedLayer(layer.chain, below, layer.diffId, origin.source), this);
  }

  private claim(at: i32): void {
    this.claims.claim(this.image.layers[at].chain);
  }

  /** Reports complete layers in their order, as far as possible. */
  private takeTurns(): void {
    while (this.turn < this.rows.length && this.rows[this.turn].done) {
      const row = this.rows[this.turn];
      if (row.said != Said.Complete) this.complete(row);
      this.turn += 1;
    }
    if (this.turn == this.rows.length) return this.owner.layersDone();
    const next = this.rows[this.turn].fetch;
    if (next !== null && next.state == FetchState.Extracting) this.moved(next);
  }

  private complete(row: Row): void {
    row.said = Said.Complete;
    this.stream.amount("Extracting", row.id, this.turn.toString(), row.total, row.total);
    this.stream.layer("Pull complete", row.id);
  }

  /** Sends the stages before it first, because clients expect every stage. */
  private say(row: Row, stage: Said): void {
    if (row.said < Said.Checksum) this.stream.layer("Verifying Checksum", row.id);
    if (row.said < Said.Downloaded && stage == Said.Downloaded) this.stream.layer("Download complete", row.id);
    if (row.said < stage) row.said = stage;
  }

  private amount(row: Row, at: i32, status: string, current: u64): void {
    const now = engine.now.monotonic;
    if (current == 0 || (row.toldAt != 0 && now - row.toldAt < LINE_INTERVAL)) return;
    row.toldAt = now;
    this.stream.amount(status, row.id, at.toString(), current, row.total);
  }

  private indexOf(fetch: LayerFetch): i32 {
    for (let i = 0; i < this.rows.length; i++) {
      if (this.rows[i].fetch === fetch && !this.rows[i].done) return i;
    }
    return -1;
  }
}
