// Unpacks one layer from an archive, for load and commit, and claims it.

import { Failure, Layer, LayerSource } from "../../../../build/bindings/types";
import { holesLimit } from "../limits";
import { LayerFetch, layerFetches, LayerWatcher } from "./layer-fetch";
import { layerStore } from "./layer-store";

/** Waits for the layer. */
export interface LayerOwner {
  layerMoved(fetch: LayerFetch): void;
  /** The layer is claimed for the owner, who must release it; or the failure says why it is missing. */
  layerEnded(failure: Failure | null): void;
}

export class ArchivedLayer extends LayerWatcher {
  constructor(private readonly owner: LayerOwner) {
    super();
  }

  begin(chain: string, below: string | null, diffId: string, source: LayerSource): void {
    layerFetches.want(new Layer(chain, below, diffId, source, holesLimit()), this);
    layerFetches.proceed();
  }

  moved(fetch: LayerFetch): void {
    this.owner.layerMoved(fetch);
  }

  ended(fetch: LayerFetch, failure: Failure | null): void {
    if (failure === null) layerStore.claim(fetch.layer.chain);
    this.owner.layerEnded(failure);
  }
}
