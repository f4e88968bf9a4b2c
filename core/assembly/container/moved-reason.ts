import { Moved as MovedNote, Note, NoteMoved } from "../../../build/bindings/types";
import { Reason } from "../reason";
import { ruleOf } from "./lifecycle";

/** The status of a container changed. */
export class Moved extends Reason {
  constructor(
    private readonly container: string,
    private readonly from: i32,
    private readonly cause: i32,
    private readonly to: i32,
  ) {
    super();
  }

  note(): Note {
    return new NoteMoved(new MovedNote(this.container, ruleOf(this.from, this.cause, this.to)));
  }
}
