// The files that a COPY or an ADD takes: of the context, of a stage or of another image.

import {
  Chosen,
  ContentCommandChoose,
  Failure,
  MissingFiles,
  Outcome,
  OutcomeChosen,
  Selection,
} from "../../../../build/bindings/types";
import { abandon, askContent } from "../../ask";
import { Ignored } from "../../ignored";
import { Task } from "../../task";
import { OpenWork } from "./work";
import { Place } from "./place";

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
    private readonly patterns: string[],
    private readonly missing: MissingFiles,
    /** As in `selection`. */
    private readonly anyDepth: bool,
    private readonly owners: bool,
    private readonly client: ChoiceClient,
  ) {
    super();
  }

  /** `mounted`: the place is there already. */
  begin(mounted: bool): void {
    if (mounted) this.choose();
    else this.place.mount(this, Step.Mount);
  }

  ended(step: i32, outcome: Outcome | null, failure: Failure | null): void {
    this.op = 0;
    if (this.cancelled) return;
    if (failure !== null) return this.client.filesNotChosen(failure);
    if (step == Step.Mount) return this.choose();
    this.client.filesChosen(this.place, (<OutcomeChosen>outcome!).value);
  }

  cancel(): void {
    this.cancelled = true;
    if (this.op != 0) abandon(new Ignored(), 0, this.op);
  }

  private choose(): void {
    const selection = new Selection(this.place.view(), this.patterns, this.missing, this.anyDepth, this.owners);
    this.op = askContent(this, Step.Choose, new ContentCommandChoose(selection));
  }
}
