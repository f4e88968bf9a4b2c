// WORKDIR: the directory becomes a layer if the image does not have it.

import { ContentCommandMakeDirectory, Failure, Outcome, OutcomeStat } from "../../../../build/bindings/types";
import { askContent } from "../../ask";
import { isDirectory } from "../../container/files/file-mode";
import { failureText } from "../../failure/text";
import { Claims } from "../../image/layers/claims";
import { Task } from "../../task";
import { LayerClient, LayerMaking } from "./layer-making";
import { Place } from "./place";
import { OpenWork, WorkClient } from "./work";

enum Step {
  Mount,
  Make,
}

export class DirectoryWork extends Task implements LayerClient, OpenWork {
  private readonly place: Place;
  private cancelled: bool = false;
  private making: LayerMaking | null = null;

  /** `chain`: of the image that gets the directory. */
  constructor(
    private readonly path: string,
    chain: string | null,
    private readonly claims: Claims,
    private readonly client: WorkClient,
  ) {
    super();
    this.place = new Place(chain);
  }

  begin(): void {
    this.place.mount(this, Step.Mount);
  }

  ended(step: i32, outcome: Outcome | null, failure: Failure | null): void {
    if (this.cancelled) return;
    if (failure !== null) return this.layerNotMade(failureText(failure));
    if (step == Step.Mount) {
      askContent(this, Step.Make, new ContentCommandMakeDirectory(this.place.at(this.path)));
    } else if (isDirectory((<OutcomeStat>outcome!).value.mode)) {
      const making = new LayerMaking(this.place.id, this.place.chain, this.claims, this);
      this.making = making;
      making.begin();
    } else this.layerNotMade(`Cannot mkdir: ${this.path} is not a directory`);
  }

  layerMade(diffId: string): void {
    this.place.drop();
    this.client.workKept(diffId, "");
    this.client.workDone();
  }

  layerNotMade(why: string): void {
    if (this.cancelled) return;
    this.place.drop();
    this.client.workFailed(why, 0);
  }

  cancel(): void {
    this.cancelled = true;
    const making = this.making;
    if (making !== null) making.cancel();
    this.place.drop();
  }
}
