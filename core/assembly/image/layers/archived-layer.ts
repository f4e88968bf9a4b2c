// Unpacks one layer from an archive, for load, commit, import and builds, and claims it.

import { Failure, LayerSource, LayerSourceArchived, Member } from "../../../../build/bindings/types";
import { chainOn } from "./chain";
import { Claims } from "./claims";
import { LayerFetch, LayerWatcher } from "./layer-fetch";
import { layerFetches, wantedLayer } from "./layer-fetches";
import { layerStore } from "./layer-store";

/** Name of the only member of an archive that a commit or a reception makes (core/wit/content.wit). */
const LAYER_TAR = "layer.tar";

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
    layerFetches.want(wantedLayer(chain, below, diffId, source), this);
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

/**
 * Takes the layer of an archive that a commit or a reception has made, on top of the chain `below`. True if it is there
 * already, and claimed for `claims` now; else the owner is told when it is there.
 */
export function takeOnlyLayer(
  archive: string,
  below: string | null,
  diffId: string,
  claims: Claims,
  owner: LayerOwner,
): bool {
  const chain = chainOn(below, diffId);
  if (layerStore.has(chain)) {
    claims.claim(chain);
    return true;
  }
  new ArchivedLayer(owner).begin(chain, below, diffId, new LayerSourceArchived(new Member(archive, LAYER_TAR)));
  return false;
}
