// How large the tars of images' layers are: an archive has to tell before it has their bytes.

import { ContentCommandMeasureTar, Failure, MeasuredTar, Outcome, OutcomeSize } from "../../../../build/bindings/types";
import { askContent } from "../../ask";
import { failureText } from "../../failure/text";
import { Task } from "../../task";
import { Image } from "../image";
import { damagedText, isDamage } from "../layers/layer-damage";
import { layerStore } from "../layers/layer-store";

/** Waits for the sizes. */
export interface SizesClient {
  sizesKnown(): void;
  /** A layer's tar cannot be read. */
  sizesUnknown(why: string): void;
}

export class LayerSizes extends Task {
  /** Bytes of each tar, by its DiffID. */
  readonly all: Map<string, u64> = new Map<string, u64>();
  private readonly diffIds: string[] = [];
  private problem: string = "";
  private open: i32 = 0;

  private client: SizesClient | null = null;

  constructor(
    /** Gets the chains whose top layers are measured; the index is the number of the step. */
    private readonly chains: string[],
  ) {
    super();
  }

  /** Whoever asks claims the layers. */
  begin(images: Image[], client: SizesClient): void {
    this.client = client;
    for (let i = 0; i < images.length; i++) {
      const layers = images[i].layers;
      for (let j = 0; j < layers.length; j++) this.measure(layers[j].diffId, layers[j].chain);
    }
    if (this.open == 0) this.client!.sizesKnown();
  }

  ended(step: i32, outcome: Outcome | null, failure: Failure | null): void {
    if (failure !== null) this.problem = isDamage(failure) ? damagedText(this.chains[step]) : failureText(failure);
    else this.all.set(this.diffIds[step], (<OutcomeSize>outcome!).value);
    this.open -= 1;
    if (this.open > 0) return;
    if (this.problem.length == 0) this.client!.sizesKnown();
    else this.client!.sizesUnknown(this.problem);
  }

  /** Several layers may have the same tar. */
  private measure(diffId: string, chain: string): void {
    if (this.diffIds.includes(diffId)) return;
    this.open += 1;
    const step = this.diffIds.push(diffId) - 1;
    this.chains.push(chain);
    askContent(this, step, new ContentCommandMeasureTar(new MeasuredTar(chain, !layerStore.has(chain))));
  }
}
