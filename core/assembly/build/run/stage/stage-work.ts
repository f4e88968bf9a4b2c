// One stage of a build: the image that it begins with, then its steps in order, each of which makes an image.

import { Image } from "../../../image/image";
import { platformError } from "../../../image/platform";
import { RoomReader } from "../../../image/progress-stream";
import { parseTrigger } from "../../dockerfile/dockerfile";
import { Instruction } from "../../dockerfile/instruction";
import { evaluate } from "../../evaluation/evaluate";
import { addLabel } from "../../evaluation/pairs";
import { Step } from "../../evaluation/step";
import { Stage } from "../../stages/stage";
import { imageSearch, wantedPlatform } from "../base/base-image";
import { ImageClient } from "../base/image-search";
import { BuildFacts } from "../build-facts";
import { BuildProgress } from "../build-progress";
import { OpenWork } from "../work";
import { StageState } from "./stage-state";
import { StepClient, StepMaking } from "./step-making";

/** Waits for a stage. */
export interface StageClient {
  stageMade(stage: StageWork): void;
  /** `code`: exit code of the program that failed; 0 if none did. */
  stageFailed(stage: StageWork, why: string, code: i32): void;
  /** A stage waits for another one, and goes on when it is told to. */
  stageParked(): void;
  /** A stage waits for the files of the context. */
  contextWanted(): void;
  /** A stage has done a step that others may wait for. */
  stepLeft(): void;
}

export class StageWork implements ImageClient, StepClient, OpenWork, RoomReader {
  private readonly stream: BuildProgress;
  private readonly state: StageState;
  private queue: Instruction[];
  /** For each of them: the stages that it takes files from. */
  private sources: i32[][];
  /** How many instructions at the beginning of the queue are triggers of the base image, which have no number. */
  private triggers: i32 = 0;
  private next: i32 = 0;
  /** What the step is made of; null for a label that the client gives. */
  private instruction: Instruction | null = null;
  private work: OpenWork | null = null;
  /** The same, while another stage does the same step. */
  private equal: StepMaking | null = null;
  private proceeding: bool = false;
  private waitsForRoom: bool = false;
  /** For stages that the next step takes files from. */
  private waitsForStages: bool = false;
  /** For files of the context, of which nobody knew before that they are needed. */
  private waitsForContext: bool = false;
  private over: bool = false;

  constructor(
    readonly plan: Stage,
    private readonly facts: BuildFacts,
    private readonly client: StageClient,
  ) {
    this.stream = facts.streamOf(plan.index);
    this.queue = plan.instructions.slice(0);
    this.sources = plan.sources;
    this.state = new StageState(facts, plan.name);
  }

  /** What the stage has made so far; null for `scratch` without a step. */
  get image(): Image | null {
    return this.state.image;
  }

  begin(): void {
    const plan = this.plan;
    this.stream.entered(plan);
    if (plan.isNamedTwice) return this.fail(plan.problem, 0);
    this.announce(plan.from.original);
    if (plan.problem.length > 0) return this.fail(plan.problem, 0);
    if (plan.isScratch) return this.startEmpty();
    if (plan.base >= 0) {
      const image = this.facts.imageOf(plan.base);
      return image === null ? this.startEmpty() : this.startFrom(image);
    }
    this.search(plan.image);
  }

  private startEmpty(): void {
    const platform = wantedPlatform(this.plan, this.facts);
    if (platform === null && this.plan.platform.length > 0) return this.fail(this.platformProblem(), 0);
    this.state.platform = platform;
    this.startFrom(null);
  }

  private platformProblem(): string {
    return `failed to parse platform ${this.plan.platform}: ${platformError()}`;
  }

  imageFound(image: Image): void {
    this.work = null;
    this.facts.claims.claimImage(image);
    const broken = this.facts.checkBase(this.plan.index, image);
    if (broken.length > 0) return this.fail(broken, 0);
    this.startFrom(image);
  }

  /** Clients of BuildKit are told what they may have meant. */
  imageMissing(why: string): void {
    const facts = this.facts;
    const like = facts.options.onlyCaches ? facts.stages.like(this.plan.image, this.plan.index) : "";
    this.fail(why + like, 0);
  }

  stepMade(): void {
    this.work = null;
    this.proceed();
  }

  stepFailed(why: string, code: i32): void {
    this.fail(why, code);
  }

  stepWaits(making: StepMaking): void {
    this.equal = making;
    this.client.stageParked();
  }

  stepLeft(): void {
    this.client.stepLeft();
  }

  cancel(): void {
    const work = this.work;
    this.work = null;
    this.over = true;
    if (work !== null) work.cancel();
  }

  /** What it waits for in another stage is done. */
  get canGoOn(): bool {
    const equal = this.equal;
    if (equal !== null) return equal.canGoOn;
    return this.waitsForStages && this.hasSources;
  }

  goOn(): void {
    const equal = this.equal;
    this.equal = null;
    if (equal !== null) return equal.goOn();
    this.waitsForStages = false;
    this.proceed();
  }

  contextCame(): void {
    if (!this.waitsForContext) return;
    this.waitsForContext = false;
    this.proceed();
  }

  roomCame(): void {
    this.waitsForRoom = false;
    if (!this.facts.over) this.proceed();
  }

  private announce(original: string): void {
    this.facts.announce(this.plan.index, original);
  }

  private search(name: string): void {
    this.stream.wanted(this.plan, name);
    const search = imageSearch(this.plan, this.facts, this);
    if (search === null) return this.fail(this.platformProblem(), 0);
    this.work = search;
    search.begin(name, this.facts.options.pull);
  }

  private startFrom(image: Image | null): void {
    this.state.begin(image, this.facts);
    this.stream.based(this.plan, image);
    if (!this.takeTriggers()) return;
    this.proceed();
  }

  /** `ONBUILD` of the base image: its triggers are the first steps. False if one of them is not valid. */
  private takeTriggers(): bool {
    const texts = this.state.build.config.takeTriggers();
    if (texts.length == 0) return true;
    let problem = this.facts.limits.addSteps(texts.length);
    if (problem.length == 0) {
      this.stream.triggered(texts.length);
      problem = this.putFirst(texts);
    }
    if (problem.length > 0) this.fail(problem, 0);
    return problem.length == 0;
  }

  /** Returns what is not valid. */
  private putFirst(triggers: string[]): string {
    const instructions: Instruction[] = [];
    for (let i = 0; i < triggers.length; i++) {
      const parsed = parseTrigger(triggers[i]);
      if (parsed.problem.length > 0) return parsed.problem;
      instructions.push(parsed.instructions[0]);
    }
    this.sources = this.facts.stages.useTriggers(this.plan, instructions).concat(this.sources);
    this.triggers = instructions.length;
    this.queue = instructions.concat(this.queue);
    return "";
  }

  /** A loop, since thousands of steps may be in the cache. */
  private proceed(): void {
    if (this.proceeding || this.over || this.isWaiting) return;
    this.proceeding = true;
    while (this.work === null && !this.facts.over && this.next < this.count) {
      this.lookAround();
      if (this.isWaiting || this.over) break;
      this.take(this.evaluated(this.next++));
    }
    this.proceeding = false;
    if (this.work === null && !this.facts.over && this.next == this.count) this.finish();
  }

  private finish(): void {
    this.over = true;
    this.client.stageMade(this);
  }

  private get isWaiting(): bool {
    return this.waitsForRoom || this.waitsForStages || this.waitsForContext;
  }

  /**
   * A client that does not read the stream would leave it without end in memory, and with it the logs of all steps. The stage
   * keeps its place meanwhile, since it goes on as soon as the client reads.
   */
  private lookAround(): void {
    if (!this.hasSources) {
      this.waitsForStages = true;
      this.client.stageParked();
      // They are made by now if their steps were in the cache.
      if (!this.isWaiting && !this.over) this.lookAround();
    } else if (this.plan.takesContext && this.facts.lacksContext) {
      this.waitsForContext = true;
      this.client.contextWanted();
    } else if (this.stream.isCrowded) {
      this.waitsForRoom = true;
      this.stream.whenRoom(this);
    }
  }

  /** The stages that the next step takes files from are made. */
  private get hasSources(): bool {
    return this.next >= this.sources.length || this.facts.areMade(this.sources[this.next]);
  }

  /** The labels that the client gives are the last steps of the target. */
  private get count(): i32 {
    return this.queue.length + (this.plan.index == this.facts.stages.target ? this.facts.labelNames.length : 0);
  }

  private evaluated(index: i32): Step {
    const state = this.state.build;
    if (index < this.queue.length) {
      const instruction = this.queue[index];
      this.instruction = instruction;
      if (index >= this.triggers) this.announce(instruction.original);
      return evaluate(state, instruction);
    }
    this.instruction = null;
    const name = this.facts.labelNames[index - this.queue.length];
    const value = this.facts.options.labels.stringOf(name);
    this.announce(`LABEL ${name}=${value}`);
    return addLabel(state, name, value);
  }

  private take(step: Step): void {
    this.stream.begun(this.plan, this.instruction, step.kind);
    const making = new StepMaking(step, this.plan, this.state, this.facts, this);
    this.work = making;
    making.begin();
  }

  private fail(why: string, code: i32): void {
    this.work = null;
    this.over = true;
    this.client.stageFailed(this, why, code);
  }
}
