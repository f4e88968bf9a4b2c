// A document that a registry is asked for, or gets: again where that may help (surface §6.3).

import { ContentCommand, Failure, Outcome } from "../../../../build/bindings/types";
import { abandon, askContent, cancelTimer, wakeAfter } from "../../ask";
import { Ignored } from "../../ignored";
import { Task } from "../../task";
import { pauseForDocument } from "../layers/layer-retry";

const SECOND: u64 = 1_000_000_000;

/** Who needs the document. */
export interface DocumentOwner {
  /** Exactly one of `outcome` and `failure` is set. */
  documentEnded(step: i32, outcome: Outcome | null, failure: Failure | null): void;
  /** The registry could not do it, and is asked again in so many seconds: told once for each of them. */
  documentPauses(seconds: u32): void;
}

export class Document extends Task {
  /** The command in flight; 0 if there is none. */
  private op: u64 = 0;
  /** Timer of the pause; 0 if there is none. */
  private timer: u64 = 0;
  private attempts: u32 = 0;
  /** Seconds left in the pause. */
  private secondsLeft: u32 = 0;
  private givenUp: bool = false;

  constructor(
    private readonly owner: DocumentOwner,
    /** For the owner. */
    private readonly step: i32,
    private readonly command: ContentCommand,
    /** There is no other registry to ask. */
    private readonly patient: bool,
  ) {
    super();
  }

  begin(): void {
    this.attempts += 1;
    this.op = askContent(this, 0, this.command);
  }

  /** The owner may still be told how a command ended that was in flight. */
  giveUp(): void {
    this.givenUp = true;
    if (this.timer != 0) cancelTimer(this.timer);
    else if (this.op != 0) abandon(new Ignored(), 0, this.op);
    this.timer = 0;
  }

  ended(_step: i32, outcome: Outcome | null, failure: Failure | null): void {
    this.op = 0;
    const asksAgain = failure !== null && this.patient && !this.givenUp;
    const pause = asksAgain ? pauseForDocument(this.attempts, failure!) : 0;
    if (pause == 0) return this.owner.documentEnded(this.step, outcome, failure);
    this.secondsLeft = pause;
    this.countDown();
  }

  elapsed(_step: i32): void {
    this.timer = 0;
    this.secondsLeft -= 1;
    if (this.secondsLeft > 0) this.countDown();
    else this.begin();
  }

  private countDown(): void {
    this.timer = wakeAfter(this, 0, SECOND);
    this.owner.documentPauses(this.secondsLeft);
  }
}
