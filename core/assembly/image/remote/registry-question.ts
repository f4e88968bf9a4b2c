// A question to a registry on behalf of one client. It is given up when the client disconnects.

import { Closing, ContentCommand, Failure, Outcome } from "../../../../build/bindings/types";
import { abandon, askContent } from "../../ask";
import { Call, Follower } from "../../call";
import { Ignored } from "../../ignored";
import { openCalls } from "../../open-calls";
import { Task } from "../../task";

export abstract class RegistryQuestion extends Task {
  /** The command in flight; 0 if there is none. */
  private op: u64 = 0;

  constructor(protected readonly call: Call) {
    super();
    call.follower = new Asker(this);
    openCalls.add(call);
  }

  /** A command has completed, and the client still waits; exactly one of `outcome` and `failure` is set. */
  protected abstract answered(step: i32, outcome: Outcome | null, failure: Failure | null): void;

  ended(step: i32, outcome: Outcome | null, failure: Failure | null): void {
    this.op = 0;
    if (!this.call.gone) this.answered(step, outcome, failure);
  }

  giveUp(): void {
    if (this.op != 0) abandon(new Ignored(), 0, this.op);
  }

  protected ask(step: i32, command: ContentCommand): void {
    this.op = askContent(this, step, command);
  }
}

class Asker extends Follower {
  constructor(private readonly question: RegistryQuestion) {
    super();
  }

  closed(_call: Call, _why: Closing): void {
    this.question.giveUp();
  }
}
