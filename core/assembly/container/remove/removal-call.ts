// A client that hears what became of the removal it asked for.

import { Call } from "../../call";
import { internal } from "../../refusal";
import { sendEmpty, sendRefusal } from "../../reply";
import { Container } from "../container";
import { RemovalClient } from "./removal-client";

/** A client's own removal. */
export class RemovalCall extends RemovalClient {
  constructor(
    private readonly container: Container,
    private readonly call: Call,
  ) {
    super();
  }

  removed(): void {
    sendEmpty(this.call, 204);
  }

  failed(why: string): void {
    sendRefusal(this.call, internal(`cannot remove container "${this.container.name}": ${why}`));
  }
}
