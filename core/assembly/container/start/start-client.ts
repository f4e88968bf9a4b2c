import { Call } from "../../call";
import { Refusal } from "../../refusal";
import { sendEmpty, sendRefusal } from "../../reply";

/** Anyone who is told the result of a start. */
export abstract class StartClient {
  abstract started(): void;

  /** Called when everything is undone. */
  abstract refused(refusal: Refusal): void;
}

/** A start that a client asked for directly. */
export class StartCall extends StartClient {
  constructor(private readonly call: Call) {
    super();
  }

  started(): void {
    sendEmpty(this.call, 204);
  }

  refused(refusal: Refusal): void {
    sendRefusal(this.call, refusal);
  }
}
