// Something that a build does while it does other things, and for which no instruction stands: a vertex by itself.

import { BuildProgress } from "../../run/build-progress";
import { StageOutput } from "../../run/output/stage-output";
import { VertexLine } from "./vertex-line";

export class AsideVertex extends VertexLine {
  ofStage(_output: StageOutput): BuildProgress {
    return this;
  }

  /** `transfer`: what is moved. */
  open(name: string, transfer: string): void {
    this.start(name, "");
    this.moves(`transferring ${transfer}:`);
  }
}
