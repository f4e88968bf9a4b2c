// The layers of an image during a push, and their progress lines (surface §6.3): the top one first.

import { Failure, Repository, SentBlob } from "../../../../build/bindings/types";
import { Image } from "../image";
import { layerStore } from "../layers/layer-store";
import { ProgressStream } from "../progress-stream";
import { Reference } from "../reference";
import { LayerPush, LayerPushOwner } from "./layer-push";
import { MountSources } from "./mount-sources";
import { uploadSlots } from "./upload-slots";

/** Waits for all layers of an image. */
export interface LayersSender {
  /** The registry has all layers, as these blobs: the base layer's comes first. */
  layersSent(blobs: SentBlob[]): void;
  /** A layer cannot be sent; the others have been given up. */
  layersFailed(failure: Failure, chain: string): void;
}

export class PushedLayers implements LayerPushOwner {
  /** The top layer comes first. */
  private readonly pushes: LayerPush[] = [];
  private left: i32 = 0;

  constructor(
    private readonly owner: LayersSender,
    private readonly stream: ProgressStream,
    private readonly to: Repository,
    private readonly image: Image,
  ) {}

  /** Finally calls the owner's `layersSent` or `layersFailed`, perhaps at once. */
  begin(target: Reference): void {
    const layers = this.image.layers;
    const sources = new MountSources(target);
    for (let i = layers.length - 1; i >= 0; i--) {
      const size = layerStore.find(layers[i].chain)!.size;
      const push = new LayerPush(this, this.to, layers[i], sources.of(layers[i].diffId), size);
      this.pushes.push(push);
      this.stream.layer("Preparing", push.id);
    }
    this.left = this.pushes.length;
    if (this.left == 0) return this.owner.layersSent([]);
    for (let i = 0; i < this.pushes.length; i++) uploadSlots.queue(this.pushes[i]);
    for (let i = 0; i < this.pushes.length; i++) {
      if (uploadSlots.isQueued(this.pushes[i])) this.stream.layer("Waiting", this.pushes[i].id);
    }
  }

  /** Those that wait for a slot come first, so that none of them begins in between. */
  giveUp(): void {
    for (let i = this.pushes.length - 1; i >= 0; i--) this.pushes[i].giveUp();
  }

  told(push: LayerPush, status: string): void {
    this.stream.layer(status, push.id);
  }

  moved(push: LayerPush, current: u64, total: u64): void {
    this.stream.amount("Pushing", push.id, push.layer.chain, current, total);
  }

  done(push: LayerPush, status: string): void {
    this.stream.layer(status, push.id);
    this.left -= 1;
    if (this.left > 0) return;
    const blobs: SentBlob[] = [];
    for (let i = this.pushes.length - 1; i >= 0; i--) blobs.push(this.pushes[i].blob!);
    this.owner.layersSent(blobs);
  }

  failed(push: LayerPush, failure: Failure): void {
    this.giveUp();
    this.owner.layersFailed(failure, push.layer.chain);
  }
}
