// The layers of one image of a cache in a directory of the build's client, which come one after the other, the base first.

import {
  ClientBlob,
  ClientStore,
  ContentCommandDropArchive,
  ContentCommandReceive,
  Failure,
  Outcome,
  OutcomeReceived,
  Receive,
  TarSourceStore,
} from "../../../../build/bindings/types";
import { abandon, askContent } from "../../ask";
import { Ignored } from "../../ignored";
import { Image } from "../../image/image";
import { LayerOwner, takeOnlyLayer } from "../../image/layers/archived-layer";
import { Claims } from "../../image/layers/claims";
import { LayerFetch } from "../../image/layers/layer-fetch";
import { layerStore } from "../../image/layers/layer-store";
import { imageStore } from "../../image/store";
import { engine } from "../../state";
import { Task } from "../../task";
import { ClientCache } from "../kept-cache";
import { BuildFacts } from "./build-facts";
import { FetchClient } from "./cache-layers";
import { OpenWork } from "./work";

export class ClientLayers extends Task implements LayerOwner {
  /** Until the image has its own. */
  private readonly claims: Claims = new Claims();
  private waiting: FetchClient[] = [];
  /** The archive with the layer that is being made; empty if there is none. */
  private archive: string = "";
  /** The reception; 0 when it has ended. */
  private op: u64 = 0;
  /** How many layers are there. */
  private at: i32 = 0;
  private over: bool = false;

  constructor(
    private readonly cache: ClientCache,
    readonly image: Image,
    /** Digests of the layers' blobs. */
    private readonly blobs: string[],
    private readonly facts: BuildFacts,
  ) {
    super();
  }

  begin(): void {
    this.next();
  }

  wait(client: FetchClient): OpenWork {
    const waiting = new Waiting(this, client);
    this.waiting.push(waiting);
    return waiting;
  }

  leave(client: FetchClient): void {
    const at = this.waiting.indexOf(client);
    if (at >= 0) this.waiting.splice(at, 1);
  }

  ended(_step: i32, outcome: Outcome | null, failure: Failure | null): void {
    this.op = 0;
    if (this.over || failure !== null) return this.giveUp();
    const layer = this.image.layers[this.at];
    // Whatever came instead of it is not even unpacked.
    if ((<OutcomeReceived>outcome!).value != layer.diffId) return this.giveUp();
    if (!takeOnlyLayer(this.archive, this.below, layer.diffId, this.claims, this)) return;
    this.dropArchive();
    this.goOn();
  }

  layerMoved(_fetch: LayerFetch): void {}

  layerEnded(failure: Failure | null): void {
    this.dropArchive();
    if (failure !== null) return this.giveUp();
    this.claims.keep(this.image.layers[this.at].chain);
    if (this.over) return this.giveUp();
    this.goOn();
  }

  /** Its archive goes as soon as nobody reads it. */
  cancel(): void {
    this.waiting = [];
    if (this.over) return;
    this.over = true;
    if (this.op != 0) abandon(new Ignored(), 0, this.op);
    else if (this.archive.length == 0) this.claims.release();
  }

  private goOn(): void {
    this.at += 1;
    this.next();
  }

  private next(): void {
    while (this.at < this.image.layers.length && layerStore.has(this.image.layers[this.at].chain)) {
      this.claims.claim(this.image.layers[this.at].chain);
      this.at += 1;
    }
    if (this.at == this.image.layers.length) return this.finish();
    this.archive = engine.ids.next();
    const blob = new ClientBlob(new ClientStore(this.cache.session, this.cache.source.store), this.blobs[this.at]);
    const receive = new Receive(this.archive, new TarSourceStore(blob), engine.options.unpackedLimit);
    this.op = askContent(this, 0, new ContentCommandReceive(receive));
  }

  private get below(): string | null {
    return this.at == 0 ? null : this.image.layers[this.at - 1].chain;
  }

  /** The image is the builder's cache. */
  private finish(): void {
    const image = this.image;
    if (imageStore.find(image.id) === null) image.onlyCache = true;
    this.facts.claims.claimImage(imageStore.add(image));
    this.settle();
  }

  /** It is no cache any more. */
  private giveUp(): void {
    this.dropArchive();
    const at = this.facts.cacheSources.indexOf(this.image);
    if (at >= 0) this.facts.cacheSources.splice(at, 1);
    this.settle();
  }

  private settle(): void {
    this.over = true;
    this.claims.release();
    const waiting = this.waiting;
    this.waiting = [];
    for (let i = 0; i < waiting.length; i++) waiting[i].layersSettled();
  }

  private dropArchive(): void {
    if (this.archive.length > 0) askContent(new Ignored(), 0, new ContentCommandDropArchive(this.archive));
    this.archive = "";
  }
}

/** A stage that waits. */
class Waiting implements FetchClient, OpenWork {
  constructor(
    private readonly layers: ClientLayers,
    private readonly client: FetchClient,
  ) {}

  layerMoved(what: string, id: string, current: u64, total: u64): void {
    this.client.layerMoved(what, id, current, total);
  }

  layersSettled(): void {
    this.client.layersSettled();
  }

  cancel(): void {
    this.layers.leave(this);
  }
}
