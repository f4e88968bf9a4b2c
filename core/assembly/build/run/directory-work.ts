// WORKDIR: the directory becomes a layer if the image does not have it.

import { ContentCommandMakeDirectory, Failure, Outcome, OutcomeStat } from "../../../../build/bindings/types";
import { askContent } from "../../ask";
import { isDirectory } from "../../container/files/file-mode";
import { failureText } from "../../failure/text";
import { Claims } from "../../image/layers/claims";
import { PlaceWork } from "./place-work";
import { WorkClient } from "./work";

enum Step {
  Mount,
  Make,
}

export class DirectoryWork extends PlaceWork {
  constructor(
    private readonly path: string,
    chain: string | null,
    claims: Claims,
    client: WorkClient,
  ) {
    super(chain, claims, client);
  }

  begin(): void {
    this.place.mount(this, Step.Mount);
  }

  ended(step: i32, outcome: Outcome | null, failure: Failure | null): void {
    if (this.cancelled) return;
    if (failure !== null) return this.fail(failureText(failure));
    if (step == Step.Mount) {
      askContent(this, Step.Make, new ContentCommandMakeDirectory(this.place.at(this.path)));
    } else if (isDirectory((<OutcomeStat>outcome!).value.mode)) {
      this.makeLayer();
    } else this.fail(`Cannot mkdir: ${this.path} is not a directory`);
  }
}
