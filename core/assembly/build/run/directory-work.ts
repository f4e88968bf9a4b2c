// WORKDIR: the directory becomes a layer if the image does not have it.

import {
  ContentCommandMakeDirectory,
  Failure,
  NewDirectory,
  Outcome,
  OutcomeStat,
} from "../../../../build/bindings/types";
import { askContent } from "../../ask";
import { isDirectory } from "../../container/files/file-mode";
import { failureText } from "../../failure/text";
import { Claims } from "../../image/layers/claims";
import { unknownOwner } from "./copy-owner";
import { PlaceWork } from "./place-work";
import { WorkClient } from "./work";

enum Step {
  Mount,
  Make,
}

export class DirectoryWork extends PlaceWork {
  constructor(
    private readonly path: string,
    /** As of a copy; null for root. */
    private readonly owner: string | null,
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
    if (failure !== null) {
      const problem = unknownOwner(failure);
      return this.fail(problem.length > 0 ? problem : failureText(failure));
    }
    if (step == Step.Mount) {
      const directory = new NewDirectory(this.place.at(this.path), this.owner);
      askContent(this, Step.Make, new ContentCommandMakeDirectory(directory));
    } else if (isDirectory((<OutcomeStat>outcome!).value.mode)) {
      this.makeLayer();
    } else this.fail(`Cannot mkdir: ${this.path} is not a directory`);
  }
}
