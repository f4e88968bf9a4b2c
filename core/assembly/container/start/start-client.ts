import { Call } from "../../call";
import { Refusal } from "../../refusal";
import { sendEmpty, sendRefusal } from "../../reply";

/** Whoever hears what became of a start. */
export abstract class StartClient {
  abstract started(): void;

  /** Everything is undone by then. */
  abstract refused(refusal: Refusal): void;
}

/** A client's own start. */
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
