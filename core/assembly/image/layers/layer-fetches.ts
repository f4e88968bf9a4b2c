// All fetches of layers: each layer is fetched once for all pulls and loads. Three download at a time over all pulls; a
// download that pauses keeps its slot.

import { Layer, LayerSource } from "../../../../build/bindings/types";
import { tarLimits } from "../limits";
import { FetchQueue, FetchState, LayerFetch, LayerWatcher } from "./layer-fetch";
import { layerRests } from "./layer-rests";
import { layerStore } from "./layer-store";
import { LayersFlush } from "./layers-flush";

/** Docker's `max-concurrent-downloads`. */
export const LAYERS_AT_ONCE: i32 = 3;

/** A fetch, and the layer somewhere below it that it waits for. */
class Above {
  constructor(
    readonly fetch: LayerFetch,
    readonly below: string,
  ) {}
}

export class LayerFetches implements FetchQueue {
  private readonly byChain: Map<string, LayerFetch> = new Map<string, LayerFetch>();
  /** In the order of requests: the layer below comes before the one above. */
  private readonly waiting: LayerFetch[] = [];
  /** Fetches that start again when a layer below is there. */
  private readonly above: Above[] = [];
  private slots: i32 = LAYERS_AT_ONCE;

  /** Joins the fetch of the layer's chain, or queues a new one: `proceed` starts it. */
  want(layer: Layer, watcher: LayerWatcher): LayerFetch {
    const chain = layer.chain;
    if (!this.byChain.has(chain)) {
      layerRests.dropOld();
      const fetch = new LayerFetch(this, layer);
      this.byChain.set(chain, fetch);
      this.waiting.push(fetch);
    }
    const fetch = this.byChain.get(chain);
    fetch.join(watcher, layer);
    return fetch;
  }

  proceed(): void {
    while (this.slots > 0 && this.waiting.length > 0) {
      this.slots -= 1;
      this.waiting.shift().begin();
    }
  }

  flush(fetches: LayerFetch[]): void {
    const flush = new LayersFlush();
    for (let i = 0; i < fetches.length; i++) if (fetches[i].awaitsFlush) flush.take(fetches[i]);
    flush.begin();
  }

  leave(fetch: LayerFetch, watcher: LayerWatcher): void {
    fetch.leave(watcher);
    if (fetch.isWanted || fetch.state == FetchState.Ended) return;
    if (!remove(this.waiting, fetch) && !this.leaveAbove(fetch)) return fetch.giveUp();
    fetch.letGo();
  }

  again(fetch: LayerFetch): void {
    fetch.state = FetchState.Waiting;
    this.waiting.push(fetch);
  }

  againAfter(fetch: LayerFetch, below: string): void {
    fetch.state = FetchState.Waiting;
    this.above.push(new Above(fetch, below));
  }

  missingFrom(chain: string): string | null {
    let at: string | null = chain;
    while (at !== null) {
      if (this.byChain.has(at)) {
        const fetch = this.byChain.get(at);
        if (fetch.state != FetchState.Unpacked) return at;
        at = fetch.layer.parent;
      } else {
        const layer = layerStore.find(at);
        at = layer === null ? null : layer.parent;
      }
    }
    return null;
  }

  forget(fetch: LayerFetch): void {
    const chain = fetch.layer.chain;
    this.byChain.delete(chain);
    this.beginAbove(chain);
  }

  beginAbove(chain: string): void {
    for (let i = this.above.length - 1; i >= 0; i--) {
      if (this.above[i].below == chain) this.again(this.above.splice(i, 1)[0].fetch);
    }
  }

  private leaveAbove(fetch: LayerFetch): bool {
    for (let i = 0; i < this.above.length; i++) {
      if (this.above[i].fetch !== fetch) continue;
      this.above.splice(i, 1);
      return true;
    }
    return false;
  }

  slotFreed(): void {
    this.slots += 1;
  }
}

/** One that is there is damaged, or nobody would want it. */
export function wantedLayer(chain: string, below: string | null, diffId: string, source: LayerSource): Layer {
  return new Layer(chain, below, diffId, source, tarLimits(), layerStore.find(chain) !== null, false);
}

function remove(from: LayerFetch[], fetch: LayerFetch): bool {
  const at = from.indexOf(fetch);
  if (at < 0) return false;
  from.splice(at, 1);
  return true;
}

export const layerFetches: LayerFetches = new LayerFetches();
