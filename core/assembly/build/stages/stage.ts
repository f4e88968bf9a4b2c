// A stage of a Dockerfile: FROM, and the instructions up to the next FROM.

import { Instruction } from "../dockerfile/instruction";

export class Stage {
  /** From 0, in the Dockerfile. */
  number: i32 = 0;
  /** In lower case; empty if it has none. */
  name: string = "";
  /** The stage it begins with; -1 if it begins with an image or with nothing. */
  base: i32 = -1;
  /** The image it begins with; empty if it begins with a stage or with nothing (`scratch`). */
  image: string = "";
  /** The named context whose files it has, as the client calls it; empty for a stage of the Dockerfile. */
  context: string = "";
  /** The client's directory that has them; empty if there is none. */
  directory: string = "";
  /** A named context has its name, and is what it begins with; nothing of its own is done. */
  isReplaced: bool = false;
  /** `--platform`, with variables substituted; empty: that of the build. */
  platform: string = "";
  /** The sentence of Docker's with which the build ends when it reaches the stage; empty if there is none. */
  problem: string = "";
  /** An earlier stage has its name. */
  isNamedTwice: bool = false;
  /** Stages of which it needs files, or begins with. Each is an earlier one, once. */
  uses: i32[] = [];
  /** One of its instructions takes files of the context, or may do so. */
  takesContext: bool = false;
  /** The same for its triggers. */
  triggersTakeContext: bool = false;
  /** What its triggers take files from: stages or images, in lower case, each once. */
  triggerSources: Set<string> = new Set<string>();
  /** All but FROM. */
  instructions: Instruction[] = [];
  /** For each of them: the stages that it takes files from. */
  readonly sources: i32[][] = [];

  constructor(
    /** From 0; those of named contexts come first. */
    readonly index: i32,
    readonly from: Instruction,
  ) {}

  get isScratch(): bool {
    return this.base < 0 && this.image.length == 0;
  }

  /** What has to be made before its first step. One that ends the build does so in its turn, as in Docker. */
  get needsFirst(): i32[] {
    if (this.problem.length > 0 || this.isNamedTwice) return this.uses;
    return this.base >= 0 ? [this.base] : [];
  }

  /** One of its instructions takes files of the context, or one of its triggers. */
  noteContext(isTrigger: bool): void {
    if (isTrigger) this.triggersTakeContext = true;
    else this.takesContext = true;
  }

  useAll(stages: i32[]): void {
    for (let i = 0; i < stages.length; i++) this.use(stages[i]);
  }

  /** Notes a stage that it needs; -1 is none. */
  use(stage: i32): void {
    if (stage >= 0 && !this.uses.includes(stage)) this.uses.push(stage);
  }
}
