import { layerStore } from "./layer-store";

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
