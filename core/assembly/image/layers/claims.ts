import { Image } from "../image";
import { layerStore } from "./layer-store";

/** Claims on layers that an operation holds until its image has its own, or the operation is given up. */
export class Claims {
  private readonly chains: string[] = [];
  private readonly images: Image[] = [];

  /** Takes over a claim. */
  keep(chain: string): void {
    this.chains.push(chain);
  }

  claim(chain: string): void {
    layerStore.claim(chain);
    this.chains.push(chain);
  }

  /** Claims all layers of an image, and keeps the builder's prune from removing it. */
  claimImage(image: Image): void {
    this.claimStack(image.chain);
    this.hold(image);
  }

  /** Keeps the builder's prune from removing an image. */
  hold(image: Image): void {
    image.holders += 1;
    this.images.push(image);
  }

  /** Claims all layers of a stack, from the base up. */
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

  /** Releases the newest first, so that upper layers are dropped before those below. */
  release(): void {
    while (this.images.length > 0) {
      const image = this.images.pop();
      image.holders -= 1;
    }
    while (this.chains.length > 0) layerStore.release(this.chains.pop());
  }
}
