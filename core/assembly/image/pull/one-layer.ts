// One layer out of an archive, for load and commit: claimed once it is there.

import { Failure, Layer, LayerSource } from "../../../../build/bindings/types";
import { layerStore } from "../layers";
import { LayerFetch, layerFetches, LayerWatcher } from "./layer-fetch";

/** Who waits for it. */
export interface LayerOwner {
  layerMoved(fetch: LayerFetch): void;
  /** Claimed for the owner, who must release it; or why it is not there. */
  layerEnded(failure: Failure | null): void;
}

export class OneLayer extends LayerWatcher {
  constructor(private readonly owner: LayerOwner) {
    super();
  }

  begin(chain: string, below: string | null, diffId: string, source: LayerSource): void {
    layerFetches.want(new Layer(chain, below, diffId, source), this);
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

/** Claims on layers that a work holds until its image has its own, or the work is given up. */
export class Claims {
  private readonly chains: string[] = [];

  /** Takes over a claim. */
  keep(chain: string): void {
    this.chains.push(chain);
  }

  claim(chain: string): void {
    layerStore.claim(chain);
    this.chains.push(chain);
  }

  /** Claims all of a stack, from its base on. */
  claimStack(top: string | null): void {
    const stack: string[] = [];
    let chain = top;
    while (chain !== null) {
      const layer = layerStore.find(chain);
      if (layer === null) break;
      stack.push(chain);
      chain = layer.parent;
    }
    while (stack.length > 0) this.claim(stack.pop());
  }

  /** The newest first: what lies on top goes before what is below it. */
  release(): void {
    while (this.chains.length > 0) layerStore.release(this.chains.pop());
  }
}
