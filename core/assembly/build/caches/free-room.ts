// How much room the disk has. The host is asked only if a limit is about it.

import { ContentCommand, ContentCommandTag, Failure, Outcome, OutcomeSize } from "../../../../build/bindings/types";
import { askContent } from "../../ask";
import { Task } from "../../task";

/** More than any limit wants to be free. */
export const ENOUGH: i64 = i64.MAX_VALUE;

/** Waits for the answer. */
export interface FreeRoomClient {
  /** `bytes`: `ENOUGH` if the host cannot tell. */
  freeRoomKnown(bytes: i64): void;
}

export class FreeRoom extends Task {
  constructor(private readonly client: FreeRoomClient) {
    super();
  }

  ask(): void {
    askContent(this, 0, new ContentCommand(ContentCommandTag.FreeSpace));
  }

  ended(_step: i32, outcome: Outcome | null, failure: Failure | null): void {
    this.client.freeRoomKnown(failure === null ? <i64>(<OutcomeSize>outcome!).value : ENOUGH);
  }
}
