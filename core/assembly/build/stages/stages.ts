// The stages of a Dockerfile: what each begins with, what it takes from others, and which ones a target needs.

import { Dockerfile } from "../dockerfile/dockerfile";
import { Instruction } from "../dockerfile/instruction";
import { declareGlobal } from "../evaluation/argument";
import { Budget } from "../evaluation/budget";
import { BuildArguments } from "../evaluation/build-arguments";
import { mountSource } from "../evaluation/run-mount";
import { substitute } from "../evaluation/substitution";
import { suggestion } from "../../text/suggestion";
import { takesContext } from "./context-use";
import { NamedContext } from "./named-context";
import { Origin, StageNames } from "./stage-names";
import { Stage } from "./stage";

const SCRATCH: string = "scratch";
/** With two other letters, a shorter name is any other one. */
const SHORTEST: i32 = 3;

/** An ARG before the first FROM; it is a step of the build, too. */
export class Global {
  constructor(
    readonly instruction: Instruction,
    /** The sentence of Docker's with which the build ends here; empty if there is none. */
    readonly problem: string,
  ) {}
}

export class Stages {
  /** Docker's sentence for a target that does not exist: an answer of status 400. Empty if it does. */
  problem: string = "";
  globals: Global[] = [];
  all: Stage[] = [];
  /** The stage whose image is the result. */
  target: i32 = 0;
  /** What the target needs, itself included, in the order of the file: each stage only uses stages before it. */
  needed: i32[] = [];
  private readonly names: StageNames = new StageNames();

  /** Adds the stage of a named context: before all others. */
  addContext(context: NamedContext, escape: i32): void {
    if (context.name != SCRATCH && this.names.addContext(context.name)) {
      this.all.push(context.stage(this.all.length, escape));
    }
  }

  /** How many the Dockerfile has. */
  get count(): i32 {
    return this.all.length - this.names.contexts;
  }

  /** What `--from` means in a stage: a number or name of an earlier stage, or an image. */
  origin(from: string, stage: i32): Origin {
    return this.names.origin(from, stage);
  }

  /** Adds the stage that begins with this FROM; its platform and base see the arguments before the first FROM. */
  begin(instruction: Instruction, given: BuildArguments, escape: i32, budget: Budget): void {
    const stage = new Stage(this.all.length, instruction);
    this.all.push(stage);
    stage.number = this.count - 1;
    if (instruction.words.length == 3) stage.name = instruction.words[2].toLowerCase();
    if (this.names.isContext(stage.name)) return this.replace(stage);
    const base = substitute(instruction.words[0], given, escape, budget);
    const platform = substitute(instruction.flag("platform"), given, escape, budget);
    stage.platform = platform.text;
    stage.problem = base.problem.length > 0 ? base.problem : platform.problem;
    if (stage.problem.length == 0 && base.text.length == 0) {
      stage.problem = `base name (${instruction.words[0]}) should not be blank`;
    }
    this.setBase(stage, base.text);
    if (this.names.add(stage.name)) return;
    stage.isNamedTwice = true;
    stage.use(this.names.place(stage.name));
    if (stage.problem.length == 0) stage.problem = `${stage.name} stage name already used`;
  }

  /** Adds an instruction to the newest stage. */
  add(instruction: Instruction): void {
    const stage = this.all[this.all.length - 1];
    if (stage.isReplaced) return;
    stage.instructions.push(instruction);
    const trigger = instruction.trigger;
    const taking = trigger === null ? instruction : trigger;
    if (takesContext(taking)) stage.noteContext(trigger !== null);
    const used = trigger === null ? this.stagesIn(taking, stage) : [];
    stage.sources.push(used);
    stage.useAll(used);
    if (trigger === null) return;
    const later = sourcesOf(trigger);
    for (let i = 0; i < later.length; i++) stage.triggerSources.add(later[i]);
  }

  /**
   * Triggers of an image, which are known when the stage begins with it. Returns the stages that each takes files from. One
   * that nothing else needs is not built.
   */
  useTriggers(stage: Stage, triggers: Instruction[]): i32[][] {
    const all: i32[][] = [];
    for (let i = 0; i < triggers.length; i++) {
      if (takesContext(triggers[i])) stage.takesContext = true;
      const named = this.stagesIn(triggers[i], stage);
      const used: i32[] = [];
      for (let j = 0; j < named.length; j++) if (this.needed.includes(named[j])) used.push(named[j]);
      stage.useAll(used);
      all.push(used);
    }
    return all;
  }

  /** Chooses the target; an empty name is the last stage. */
  choose(name: string): void {
    this.target = this.all.length - 1;
    if (name.length > 0) this.target = this.placeOf(name.toLowerCase());
    if (this.target < 0) this.problem = `failed to reach build target ${name} in Dockerfile`;
    else this.needed = this.neededBy(this.target);
  }

  /** ` (did you mean NAME?)` of one of the first `count` stages; empty if none has a name like this one. */
  like(name: string, count: i32): string {
    const names: string[] = [];
    for (let i = 0; i < count; i++) if (this.all[i].name.length >= SHORTEST) names.push(this.all[i].name);
    return suggestion(name.toLowerCase(), names, "");
  }

  /** Whether a stage that the target needs takes files of the context. Triggers of its image, not known yet, may do so, too. */
  get takeContext(): bool {
    for (let i = 0; i < this.needed.length; i++) if (this.all[this.needed[i]].takesContext) return true;
    return false;
  }

  /** The earlier stages that an instruction takes files from. */
  private stagesIn(instruction: Instruction, stage: Stage): i32[] {
    const used: i32[] = [];
    const sources = sourcesOf(instruction);
    for (let i = 0; i < sources.length; i++) {
      const at = this.names.stageOf(sources[i], stage.index);
      if (at >= 0) used.push(at);
    }
    return used;
  }

  /** The first stage of the Dockerfile with this name; -1 if there is none. */
  private placeOf(name: string): i32 {
    for (let i = this.names.contexts; i < this.all.length; i++) if (this.all[i].name == name) return i;
    return -1;
  }

  /** By the named context of its name. */
  private replace(stage: Stage): void {
    stage.isReplaced = true;
    stage.base = this.names.place(stage.name);
    stage.use(stage.base);
    this.names.add("");
  }

  private setBase(stage: Stage, base: string): void {
    stage.base = this.names.place(base.toLowerCase());
    stage.use(stage.base);
    if (stage.base < 0) stage.image = base == SCRATCH ? "" : base;
    else this.inheritTriggers(stage, this.all[stage.base]);
  }

  /** The triggers of a stage are evaluated in the stages that begin with it. */
  private inheritTriggers(stage: Stage, base: Stage): void {
    if (base.triggersTakeContext) stage.takesContext = true;
    const sources = base.triggerSources.values();
    for (let i = 0; i < sources.length; i++) stage.use(this.names.stageOf(sources[i], stage.index));
  }

  private neededBy(target: i32): i32[] {
    const wanted = new Array<bool>(this.all.length).fill(false);
    wanted[target] = true;
    const needed: i32[] = [];
    for (let i = target; i >= 0; i--) {
      // Which of two stages a name means would be a guess: the build ends there, as Docker's.
      if (!wanted[i] && !this.all[i].isNamedTwice) continue;
      needed.push(i);
      for (let j = 0; j < this.all[i].uses.length; j++) wanted[this.all[i].uses[j]] = true;
    }
    return needed.reverse();
  }
}

/** What an instruction takes files from: stages or images, in lower case. */
function sourcesOf(instruction: Instruction): string[] {
  if (instruction.keyword == "COPY") return [instruction.flag("from").toLowerCase()];
  const mounts = instruction.keyword == "RUN" ? instruction.flagValues("mount") : [];
  return mounts.map<string>((mount) => mountSource(mount).toLowerCase());
}

/**
 * `file`: without a problem. `given`: the arguments by the client and the predefined ones; those of the file are added.
 * `target`: the name of a stage; empty: the last one.
 */
export function stagesOf(
  file: Dockerfile,
  given: BuildArguments,
  target: string,
  contexts: NamedContext[],
  budget: Budget,
): Stages {
  const stages = new Stages();
  for (let i = 0; i < contexts.length; i++) stages.addContext(contexts[i], file.escape);
  for (let i = 0; i < file.instructions.length; i++) {
    const instruction = file.instructions[i];
    if (instruction.keyword == "FROM") {
      stages.begin(instruction, given, file.escape, budget);
    } else if (stages.count == 0) {
      stages.globals.push(new Global(instruction, declareGlobal(given, instruction, file.escape, budget)));
    } else {
      stages.add(instruction);
    }
  }
  stages.choose(target);
  return stages;
}
