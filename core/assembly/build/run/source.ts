// The files that a COPY or an ADD takes: of the context, of a stage or of another image.

import {
  Chosen,
  ContentCommandChoose,
  Failure,
  Outcome,
  OutcomeChosen,
  Selection,
} from "../../../../build/bindings/types";
import { abandon, askContent } from "../../ask";
import { Ignored } from "../../ignored";
import { Task } from "../../task";
import { knownChoices, Wanted } from "./known-choices";
import { Place } from "./place";
import { OpenWork } from "./work";

/** Waits for the choice. */
export interface ChoiceClient {
  /** `place`: where the files are. */
  filesChosen(place: Place, chosen: Chosen): void;
  filesNotChosen(failure: Failure): void;
}

enum Step {
  Mount,
  Choose,
}

/** Looks the files up. */
export class Choice extends Task implements OpenWork {
  private cancelled: bool = false;
  private op: u64 = 0;

  constructor(
    private readonly place: Place,
    private readonly wanted: Wanted,
    private readonly client: ChoiceClient,
  ) {
    super();
  }

  /** A place of which the choice is known is not made. */
  begin(): void {
    const known = this.known();
    if (known !== null) this.client.filesChosen(this.place, known);
    else if (this.place.isMade) this.choose();
    else this.place.mount(this, Step.Mount);
  }

  ended(step: i32, outcome: Outcome | null, failure: Failure | null): void {
    this.op = 0;
    if (this.cancelled) return;
    if (failure !== null) return this.client.filesNotChosen(failure);
    if (step == Step.Mount) return this.choose();
    const chosen = (<OutcomeChosen>outcome!).value;
    const chain = this.place.chain;
    if (chain !== null) knownChoices.keep(chain, this.wanted, chosen);
    this.client.filesChosen(this.place, chosen);
  }

  cancel(): void {
    this.cancelled = true;
    if (this.op != 0) abandon(new Ignored(), 0, this.op);
  }

  private known(): Chosen | null {
    const chain = this.place.chain;
    return chain === null ? null : knownChoices.find(chain, this.wanted);
  }

  private choose(): void {
    const wanted = this.wanted;
    const view = this.place.view();
    const selection = new Selection(view, wanted.patterns, wanted.missing, wanted.anyDepth, wanted.owners);
    this.op = askContent(this, Step.Choose, new ContentCommandChoose(selection));
  }
}
