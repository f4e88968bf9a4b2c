// Brings layers that are unpacked to the disk, all of them at once: a flush takes as long for many as for one.

import { ContentCommandFlushLayers, Failure, Outcome } from "../../../../build/bindings/types";
import { askContent } from "../../ask";
import { Task } from "../../task";
import { LayerFetch } from "./layer-fetch";

export class LayersFlush extends Task {
  private readonly fetches: LayerFetch[] = [];

  take(fetch: LayerFetch): void {
    fetch.flushBegun();
    this.fetches.push(fetch);
  }

  begin(): void {
    if (this.fetches.length == 0) return;
    const chains: string[] = [];
    for (let i = 0; i < this.fetches.length; i++) chains.push(this.fetches[i].layer.chain);
    askContent(this, 0, new ContentCommandFlushLayers(chains));
  }

  /** The top first, because that is the order in which layers are dropped that nobody wants any more. */
  ended(_step: i32, _outcome: Outcome | null, failure: Failure | null): void {
    for (let i = this.fetches.length - 1; i >= 0; i--) this.fetches[i].flushEnded(failure);
  }
}
