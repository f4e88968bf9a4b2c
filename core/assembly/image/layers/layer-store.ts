// The unpacked layers, and who claims them: images, pulls and loads
// in progress, containers. A layer without claims is dropped.

import { ContentCommandDropChain } from "../../../../build/bindings/types";
import { askContent, deleteRecord } from "../../ask";
import { containerStore } from "../../container/store";
import { Json } from "../../json/json";
import { FieldReader } from "../../records/field-reader";
import { FieldWriter } from "../../records/field-writer";
import { Fields } from "../../records/fields";
import { tellSwept } from "../../records/found";
import { LAYER_RECORDS } from "../../records/kinds";
import { putRecord } from "../../records/put";
import { setAside } from "../../records/set-aside";
import { Removal } from "../../removal";
import { ImageLayer } from "../image";
import { isDigest } from "../reference";
import { chainOn } from "./chain";

/** Initial buffer size for a record. */
const RECORD_BYTES: i32 = 512;

export class StoredLayer {
  /** Claims by images and operations in progress. Containers are looked up when needed. */
  claims: i32 = 0;
  /** A read has found that the disk has lost bytes of it: the next pull or load replaces it. */
  damaged: bool = false;
  /** The layer has a record. A layer that a crash leaves without one is dropped at the next start. */
  recorded: bool = false;

  constructor(
    readonly chain: string,
    /** ChainID of the layer below; null for a base layer. */
    readonly parent: string | null,
    readonly diffId: string,
    /** Size of its files in bytes. */
    readonly size: u64,
  ) {}
}

export class LayerStore {
  /** Claims are known. Until images have been mended at a restart, nothing is dropped. */
  claimed: bool = false;
  private readonly byChain: Map<string, StoredLayer> = new Map<string, StoredLayer>();

  find(chain: string): StoredLayer | null {
    return this.byChain.has(chain) ? this.byChain.get(chain) : null;
  }

  /** Whether the layer exists and need not be fetched anew. */
  has(chain: string): bool {
    const layer = this.find(chain);
    return layer !== null && !layer.damaged;
  }

  hasAll(layers: ImageLayer[]): bool {
    for (let i = 0; i < layers.length; i++) if (!this.has(layers[i].chain)) return false;
    return true;
  }

  all(): StoredLayer[] {
    return this.byChain.values();
  }

  /** Replaces a damaged one: who claims that claims this. */
  add(layer: StoredLayer): void {
    const before = this.find(layer.chain);
    this.byChain.set(layer.chain, layer);
    if (before === null) return;
    layer.claims = before.claims;
    if (before.recorded) this.record(layer.chain);
  }

  /** A read has found that the disk has lost bytes of the layer. */
  noteDamage(chain: string): void {
    const layer = this.find(chain);
    if (layer === null || layer.damaged) return;
    layer.damaged = true;
    if (!layer.recorded) return;
    layer.recorded = false;
    this.record(chain);
  }

  /** The caller must release the layer. */
  claim(chain: string): void {
    this.byChain.get(chain).claims += 1;
  }

  /** Returns the layer if this was the last claim and the layer is dropped. */
  release(chain: string): StoredLayer | null {
    const layer = this.find(chain);
    if (layer === null) return null;
    layer.claims -= 1;
    return this.dropUnclaimed(chain) ? layer : null;
  }

  /** Drops a layer that neither a claim nor a container holds. */
  dropUnclaimed(chain: string): bool {
    const layer = this.find(chain);
    if (layer === null || !this.claimed || this.isNeeded(chain)) return false;
    if (setAside.holdsLayers) return false;
    this.drop(layer);
    return true;
  }

  /**
   * A container or image was removed. When the last one that may need unreadable layers is gone, the records of those
   * layers are forgotten. The next start drops the unreadable layers; other unclaimed ones are dropped now.
   */
  forgetLost(): void {
    if (!setAside.holdsOwnersOfLayers && !this.isLostUnderContainer()) {
      const lost = setAside.startingWith(LAYER_RECORDS);
      for (let i = 0; i < lost.length; i++) setAside.forget(LAYER_RECORDS + lost[i]);
    }
    const all = this.all();
    for (let i = all.length - 1; i >= 0; i--) this.dropUnclaimed(all[i].chain);
  }

  /** A container was removed: drops those layers of its stack that only it held, top first. */
  dropUnclaimedStack(top: string | null): void {
    if (setAside.holdsLayers) return this.forgetLost();
    let chain = top;
    while (chain !== null) {
      const layer = this.find(chain);
      if (layer === null) return;
      const parent = layer.parent;
      this.dropUnclaimed(chain);
      chain = parent;
    }
  }

  /** Writes the layer's record, so that it survives a restart. */
  record(chain: string): void {
    const layer = this.byChain.get(chain);
    if (layer.recorded) return;
    layer.recorded = true;
    putRecord(LAYER_RECORDS + chain, writeLayer(layer));
  }

  /** Writes all records again. */
  putAll(): void {
    const layers = this.all();
    for (let i = 0; i < layers.length; i++) {
      if (layers[i].recorded) putRecord(LAYER_RECORDS + layers[i].chain, writeLayer(layers[i]));
    }
  }

  /** Reads a record; returns why it is invalid, or empty. */
  restore(chain: string, json: Json): string {
    const fields = new FieldReader(json);
    const layer = layerFields(fields, chain, null);
    const isOwn = chainOn(layer.parent, layer.diffId) == chain && isDigest(chain);
    if (!isOwn) fields.refuse("it is another layer's");
    if (fields.problem.length > 0) return fields.problem;
    layer.recorded = true;
    this.add(layer);
    return "";
  }

  /** Whether all layers of a stack exist. */
  isWhole(top: string | null): bool {
    let chain = top;
    while (chain !== null) {
      const layer = this.find(chain);
      if (layer === null) return false;
      chain = layer.parent;
    }
    return true;
  }

  /** Sets aside the records of layers that the host does not have, and of layers above them. */
  keepOnly(chains: string[]): void {
    const there = new Set<string>();
    for (let i = 0; i < chains.length; i++) there.add(chains[i]);
    const all = this.all();
    for (let i = 0; i < all.length; i++) {
      if (!there.has(all[i].chain)) this.lose(all[i], "its files are missing");
    }
    const left = this.all();
    for (let i = 0; i < left.length; i++) {
      if (!this.isWhole(left[i].chain)) this.lose(left[i], "a layer below it is missing");
    }
  }

  /** After a restart: drops a layer that the host has but nobody needs. */
  sweep(chain: string): void {
    const isKnown = this.find(chain) !== null;
    if (setAside.doubts && !(isKnown && this.isNeeded(chain))) return setAside.keepLayers();
    if (setAside.holdsLayers) return;
    if (isKnown && !this.dropUnclaimed(chain)) return;
    if (!isKnown) dropChain(chain, 0);
    tellSwept(`layer ${chain}`, "no image or container needs it");
  }

  private lose(layer: StoredLayer, why: string): void {
    this.byChain.delete(layer.chain);
    setAside.take(LAYER_RECORDS + layer.chain, why);
  }

  private drop(layer: StoredLayer): void {
    this.byChain.delete(layer.chain);
    if (layer.recorded) deleteRecord(LAYER_RECORDS + layer.chain);
    dropChain(layer.chain, layer.size);
  }

  private isNeeded(chain: string): bool {
    return this.byChain.get(chain).claims > 0 || this.isUnderContainer(chain);
  }

  private isUnderContainer(chain: string): bool {
    const containers = containerStore.all();
    for (let i = 0; i < containers.length; i++) {
      if (this.holds(containers[i].chain, chain)) return true;
    }
    return false;
  }

  private isLostUnderContainer(): bool {
    const containers = containerStore.all();
    for (let i = 0; i < containers.length; i++) if (!this.isWhole(containers[i].chain)) return true;
    return false;
  }

  /** Whether a stack contains this layer. */
  private holds(top: string | null, chain: string): bool {
    let at = top;
    while (at !== null) {
      if (at == chain) return true;
      const layer = this.find(at);
      at = layer === null ? null : layer.parent;
    }
    return false;
  }
}

function dropChain(chain: string, size: u64): void {
  askContent(new Removal(<i64>size), 0, new ContentCommandDropChain(chain));
}

function layerFields(fields: Fields, chain: string, given: StoredLayer | null): StoredLayer {
  const below: string | null = given === null ? null : given.parent;
  const parent = fields.optionalText("parent", below === null ? "" : below);
  const diffId = fields.text("diffId", given === null ? "" : given.diffId);
  const size = fields.within("size", given === null ? 0 : <i64>given.size, 0, i64.MAX_VALUE);
  const damaged = fields.optionalBool("damaged", given !== null && given.damaged);
  if (given !== null) return given;
  const layer = new StoredLayer(chain, parent.length > 0 ? parent : null, diffId, <u64>size);
  layer.damaged = damaged;
  return layer;
}

function writeLayer(layer: StoredLayer): Uint8Array {
  const fields = new FieldWriter(RECORD_BYTES);
  layerFields(fields, layer.chain, layer);
  return fields.take();
}

export const layerStore: LayerStore = new LayerStore();
