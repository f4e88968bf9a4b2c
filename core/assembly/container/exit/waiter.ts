import { Call } from "../../call";

/** What a `POST /containers/{id}/wait` waits for (surface §2.10). */
export enum Condition {
  NotRunning,
  NextExit,
  Removed,
}

export class Waiter {
  constructor(
    readonly call: Call,
    readonly condition: Condition,
  ) {}
}
