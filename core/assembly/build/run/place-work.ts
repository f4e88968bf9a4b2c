// What COPY and WORKDIR share: they write into a place of their own, and what is there becomes a layer.

import { abandon } from "../../ask";
import { Ignored } from "../../ignored";
import { Claims } from "../../image/layers/claims";
import { Task } from "../../task";
import { LayerClient, LayerMaking } from "./layer-making";
import { Place } from "./place";
import { OpenWork, WorkClient } from "./work";

export abstract class PlaceWork extends Task implements LayerClient, OpenWork {
  protected readonly place: Place;
  protected cancelled: bool = false;
  /** A command in flight that can be given up; 0 if there is none. */
  protected op: u64 = 0;
  private making: LayerMaking | null = null;

  /** `chain`: of the image that gets the layer. `isApart`: what is written does not look at that image's files. */
  constructor(
    private readonly chain: string | null,
    private readonly claims: Claims,
    private readonly client: WorkClient,
    isApart: bool = false,
  ) {
    super();
    this.place = new Place(isApart ? null : chain);
  }

  layerMade(diffId: string): void {
    this.place.drop();
    this.client.workKept(diffId, "");
    this.client.workDone();
  }

  layerNotMade(why: string): void {
    if (!this.cancelled) this.fail(why);
  }

  cancel(): void {
    this.cancelled = true;
    const making = this.making;
    if (making !== null) making.cancel();
    if (this.op != 0) abandon(new Ignored(), 0, this.op);
    this.place.drop();
  }

  protected makeLayer(): void {
    const making = new LayerMaking(this.place.id, this.chain, this.claims, this, [], true);
    this.making = making;
    making.begin();
  }

  protected fail(why: string): void {
    this.place.drop();
    this.client.workFailed(why, 0);
  }
}
