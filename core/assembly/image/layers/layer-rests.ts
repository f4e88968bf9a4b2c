// Beginnings of layers that a fetch of an earlier instance left on the disk. The next fetch of the layer goes on where
// they end. Nobody else needs them, so they do not stay for good.

import { ContentCommandDropChain, FoundRest } from "../../../../build/bindings/types";
import { askContent } from "../../ask";
import { Ignored } from "../../ignored";
import { tellSwept } from "../../records/found";
import { engine } from "../../state";
import { layerStore } from "./layer-store";

/** How long they stay after their last byte, in nanoseconds: whoever asks again usually does so at once. */
const KEPT: i64 = 24 * 3600 * 1_000_000_000;

class LayerRests {
  /** Times of the last bytes, by chain. */
  private readonly left: Map<string, i64> = new Map<string, i64>();

  /** At the start. A layer that is there needs no beginning, and a command that drops one would drop the layer. */
  found(rests: FoundRest[]): void {
    for (let i = 0; i < rests.length; i++) {
      const rest = rests[i];
      if (layerStore.find(rest.chain) !== null) continue;
      this.left.set(rest.chain, rest.at);
      if (this.isOld(rest.chain))
        tellSwept(`beginning of layer ${rest.chain}`, "nobody has asked for the rest for a day");
    }
    this.dropOld();
  }

  /** A fetch of the layer begins. True if the fetch has to care for a beginning now. */
  take(chain: string): bool {
    return this.left.delete(chain);
  }

  dropOld(): void {
    const chains = this.left.keys();
    for (let i = 0; i < chains.length; i++) if (this.isOld(chains[i])) this.drop(chains[i]);
  }

  dropAll(): void {
    const chains = this.left.keys();
    for (let i = 0; i < chains.length; i++) this.drop(chains[i]);
  }

  private isOld(chain: string): bool {
    return engine.now.wall - this.left.get(chain) > KEPT;
  }

  private drop(chain: string): void {
    this.left.delete(chain);
    askContent(new Ignored(), 0, new ContentCommandDropChain(chain));
  }
}

export const layerRests: LayerRests = new LayerRests();
