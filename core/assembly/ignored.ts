import { Failure, Outcome } from "../../build/bindings/types";
import { Task } from "./task";

/** A command whose outcome changes nothing: what follows from it comes as another input. */
export class Ignored extends Task {
  ended(_step: i32, _outcome: Outcome | null, _failure: Failure | null): void {}
}
