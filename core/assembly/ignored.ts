import { Failure, Outcome } from "../../build/bindings/types";
import { Task } from "./task";

/** A task for commands whose outcome does not matter: any consequence arrives as another input. */
export class Ignored extends Task {
  ended(_step: i32, _outcome: Outcome | null, _failure: Failure | null): void {}
}
