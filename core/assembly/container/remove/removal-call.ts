// A client that is told the result of the removal that it asked for.

import { Call } from "../../call";
import { internal } from "../../refusal";
import { sendEmpty, sendRefusal } from "../../reply";
import { Container } from "../container";
import { RemovalClient } from "./removal-client";

/** A removal that a client asked for directly. */
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
