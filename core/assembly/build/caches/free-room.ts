// How much room the disk has. The host is asked only if a limit is about it. What is being removed counts as free: otherwise
// as much again would go for the same lack.

import { ContentCommand, ContentCommandTag, Failure, Outcome, OutcomeSize } from "../../../../build/bindings/types";
import { askContent } from "../../ask";
import { leaving } from "../../removal";
import { Task } from "../../task";

/** More than any limit wants to be free. */
export const ENOUGH: i64 = i64.MAX_VALUE;

/** Waits for the answer. */
export interface FreeRoomClient {
  /** `bytes`: `ENOUGH` if the host cannot tell. */
  freeRoomKnown(bytes: i64): void;
}

export class FreeRoom extends Task {
  /** Bytes that were being removed when the host was asked. */
  private readonly leaving: i64 = leaving.bytes;

  constructor(private readonly client: FreeRoomClient) {
    super();
  }

  ask(): void {
    askContent(this, 0, new ContentCommand(ContentCommandTag.FreeSpace));
  }

  ended(_step: i32, outcome: Outcome | null, failure: Failure | null): void {
    if (failure !== null) return this.client.freeRoomKnown(ENOUGH);
    // The host may have looked before or after any of it was gone.
    this.client.freeRoomKnown(<i64>(<OutcomeSize>outcome!).value + max(this.leaving, leaving.bytes));
  }
}
