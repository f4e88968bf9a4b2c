// One stage of a build: the image that it begins with, then its steps in order, each of which makes an image.

import { Image } from "../../image/image";
import { Platform, platformError } from "../../image/platform";
import { RoomReader } from "../../image/progress-stream";
import { imageStore } from "../../image/store";
import { Json } from "../../json/json";
import { cachedStep } from "../cache";
import { foreignStep } from "../foreign-cache";
import { Instruction } from "../dockerfile/instruction";
import { parseTrigger } from "../dockerfile/dockerfile";
import { BuildState } from "../evaluation/build-state";
import { StageArguments } from "../evaluation/build-arguments";
import { evaluate } from "../evaluation/evaluate";
import { addLabel } from "../evaluation/pairs";
import { commandWithMounts, CopyStep, RunStep, Step, StepKind } from "../evaluation/step";
import { Stage } from "../stages/stage";
import { ImageClient, imageSearch, wantedPlatform } from "./base-image";
import { BuildFacts } from "./build-facts";
import { CopySources, SourcesClient } from "./copy-sources";
import { copyWish } from "./copy-wish";
import { CopyWork } from "./copy-work";
import { DirectoryWork } from "./directory-work";
import { FoundSources } from "./found-sources";
import { MountSource, MountSources, MountSourcesClient } from "./mounts/mount-sources";
import { RunMounts } from "./mounts/run-mounts";
import { runWish } from "./run-wish";
import { RunWork } from "./run-work";
import { makeStepImage, StepResult } from "./step-image";
import { unbuiltIn } from "./unbuilt";
import { OpenWork, WorkClient } from "./work";

/** Waits for a stage. */
export interface StageClient {
  stageDone(stage: StageWork): void;
  /** `code`: exit code of the program that failed; 0 if none did. */
  stageFailed(why: string, code: i32): void;
}

export class StageWork implements ImageClient, WorkClient, SourcesClient, MountSourcesClient, OpenWork, RoomReader {
  /** What the stage has made so far; null for `scratch` without a step. */
  image: Image | null = null;
  private state: BuildState;
  private queue: Instruction[];
  /** How many instructions at the beginning of the queue are triggers of the base image, which have no number. */
  private triggers: i32 = 0;
  private next: i32 = 0;
  private step: Step | null = null;
  /** What the step was made of; null for a label that the client gives. */
  private instruction: Instruction | null = null;
  private work: OpenWork | null = null;
  /** What a copy takes, until it is over. */
  private found: FoundSources | null = null;
  /** Of a stage that begins with nothing; null for the machine's. */
  private platform: Platform | null = null;
  /** What the command sees besides the image's files. */
  private mounts: MountSource[] = [];
  private usesCache: bool;
  private proceeding: bool = false;
  private waitsForClient: bool = false;

  constructor(
    readonly plan: Stage,
    private readonly facts: BuildFacts,
    private readonly client: StageClient,
  ) {
    this.queue = plan.instructions.slice(0);
    this.usesCache = facts.options.useCache;
    this.state = stateOf(Json.object(), facts);
  }

  begin(): void {
    this.facts.announce(this.plan.from.original);
    const plan = this.plan;
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
    if (platform === null && this.plan.platform.length > 0) return this.fail(platformError(), 0);
    this.platform = platform;
    this.startFrom(null);
  }

  imageFound(image: Image): void {
    this.work = null;
    this.facts.claims.claimStack(image.chain);
    this.startFrom(image);
  }

  imageMissing(why: string): void {
    this.fail(why, 0);
  }

  workKept(diffId: string, container: string): void {
    this.keep(diffId, container);
  }

  workDone(): void {
    if (this.facts.over) return;
    this.work = null;
    this.leaveSources();
    this.tellMade();
    this.proceed();
  }

  workFailed(why: string, code: i32): void {
    this.fail(why, code);
  }

  cancel(): void {
    const work = this.work;
    this.work = null;
    if (work !== null) work.cancel();
    this.leaveSources();
  }

  private search(name: string): void {
    this.facts.stream.wanted(this.plan, name);
    const search = imageSearch(this.plan, this.facts, this);
    if (search === null) return this.fail(platformError(), 0);
    this.work = search;
    search.begin(name, this.facts.options.pull);
  }

  private startFrom(image: Image | null): void {
    this.image = image;
    const state = stateOf(image === null ? Json.object() : image.containerConfig().copy(), this.facts);
    if (image !== null) state.author = image.author;
    this.state = state;
    state.config.addPath();
    this.facts.stream.based(this.plan, image);
    if (!this.takeTriggers()) return;
    this.proceed();
  }

  /** `ONBUILD` of the base image: its triggers are the first steps. False if one of them is not valid. */
  private takeTriggers(): bool {
    const texts = this.state.config.takeTriggers();
    if (texts.length == 0) return true;
    const tooMany = this.facts.limits.addSteps(texts.length);
    if (tooMany.length > 0) {
      this.fail(tooMany, 0);
      return false;
    }
    this.facts.stream.triggered(texts.length);
    const instructions: Instruction[] = [];
    for (let i = 0; i < texts.length; i++) {
      const parsed = parseTrigger(texts[i]);
      if (parsed.problem.length > 0) {
        this.fail(parsed.problem, 0);
        return false;
      }
      instructions.push(parsed.instructions[0]);
    }
    this.triggers = instructions.length;
    this.queue = instructions.concat(this.queue);
    return true;
  }

  /** A loop, since thousands of steps may be in the cache. */
  private proceed(): void {
    if (this.proceeding || this.waitsForClient) return;
    this.proceeding = true;
    while (this.work === null && !this.facts.over && this.next < this.count) {
      if (this.waits()) break;
      this.take(this.evaluated(this.next++));
    }
    this.proceeding = false;
    if (this.work === null && !this.facts.over && this.next == this.count) this.client.stageDone(this);
  }

  /** A client that does not read the stream would leave it without end in memory, and with it the logs of all steps. */
  private waits(): bool {
    const stream = this.facts.stream;
    if (!stream.isCrowded) return false;
    this.waitsForClient = true;
    stream.whenRoom(this);
    return true;
  }

  roomCame(): void {
    this.waitsForClient = false;
    if (!this.facts.over) this.proceed();
  }

  /** The labels that the client gives are the last steps of the target. */
  private get count(): i32 {
    return this.queue.length + (this.plan.index == this.facts.stages.target ? this.facts.labelNames.length : 0);
  }

  private evaluated(index: i32): Step {
    if (index < this.queue.length) {
      const instruction = this.queue[index];
      this.instruction = instruction;
      if (index >= this.triggers) this.facts.announce(instruction.original);
      return evaluate(this.state, instruction);
    }
    this.instruction = null;
    const name = this.facts.labelNames[index - this.queue.length];
    const value = this.facts.options.labels.stringOf(name);
    this.facts.announce(`LABEL ${name}=${value}`);
    return addLabel(this.state, name, value);
  }

  private take(step: Step): void {
    this.step = step;
    this.facts.stream.begun(this.plan, this.instruction, step.kind);
    if (step.problem.length > 0) return this.fail(step.problem, 0);
    for (let i = 0; i < step.notes.length; i++) this.facts.stream.note(step.notes[i]);
    const problem = unbuiltIn(step);
    if (problem.length > 0) return this.fail(problem, 0);
    const copy = step.copy;
    if (copy !== null) return this.beginCopy(copy);
    this.mounts = [];
    const run = step.run;
    if (run !== null && run.mounts.length > 0) return this.findMounts(run);
    this.carryOut();
  }

  private carryOut(): void {
    const step = this.step!;
    if (this.takeCached()) return;
    if (step.kind == StepKind.Config) return this.keepConfig();
    if (step.kind == StepKind.Directory) this.makeDirectory();
    else this.run();
  }

  private makeDirectory(): void {
    const work = new DirectoryWork(this.state.config.text("WorkingDir"), this.chain, this.facts.claims, this);
    this.work = work;
    work.begin();
  }

  private findMounts(run: RunStep): void {
    const sources = new MountSources(run, this.plan, this.facts, this);
    this.work = sources;
    sources.begin();
  }

  mountsFound(sources: MountSource[], digest: string): void {
    this.work = null;
    this.mounts = sources;
    const step = this.step!;
    if (digest.length > 0) step.command = commandWithMounts(step.command, step.run!, digest);
    this.carryOut();
    this.proceed();
  }

  mountsMissing(why: string): void {
    this.fail(why, 0);
  }

  private run(): void {
    const step = this.step!;
    this.keepImage();
    const wish = runWish(this.image, this.state.config.json(), step.run!, this.facts.options, this.facts.version);
    const mounts = new RunMounts(this.mounts, this.facts.context, this.facts.hidden);
    const work = new RunWork(wish, mounts, this.facts.stream, this.facts.claims, this);
    this.work = work;
    work.begin();
  }

  private beginCopy(copy: CopyStep): void {
    const sources = new CopySources(copy, this.plan, this.facts, this);
    this.work = sources;
    sources.begin();
  }

  sourcesFound(found: FoundSources): void {
    this.work = null;
    this.found = found;
    this.copyWith(found);
    this.proceed();
  }

  sourcesMissing(why: string): void {
    this.fail(why, 0);
  }

  private copyWith(found: FoundSources): void {
    const step = this.step!;
    const copy = step.copy!;
    step.command = copy.commandFor(found.digest);
    if (this.takeCached()) return this.leaveSources();
    const work = new CopyWork(copyWish(copy), found, this.chain, this.facts.claims, this);
    this.work = work;
    work.begin();
  }

  /** True if the step was done before: then nothing is left to do. */
  private takeCached(): bool {
    if (!this.usesCache) return false;
    const image = this.cached();
    if (this.facts.over) return true;
    if (image === null) {
      this.usesCache = false;
      return false;
    }
    this.facts.claims.claimStack(image.chain);
    this.image = image;
    this.facts.stream.cached();
    this.tellMade();
    return true;
  }

  /** The image of the step; null if it is not in the cache. */
  private cached(): Image | null {
    const result = this.resultOf(this.state.config.json());
    const sources = this.facts.cacheSources;
    const image = cachedStep(this.image, result, sources);
    if (image !== null || sources.length == 0) return image;
    const foreign = foreignStep(this.image, result, sources);
    if (foreign === null) return null;
    if (foreign.image !== null) return foreign.image;
    // What cannot be taken from another image is made.
    return makeStepImage(this.image, foreign.result, this.facts.limits).image;
  }

  private keepConfig(): void {
    this.keep("", "");
    if (!this.facts.over) this.tellMade();
  }

  private keep(diffId: string, container: string): void {
    const result = this.resultOf(this.state.config.json().copy());
    result.diffId = diffId;
    result.container = container;
    this.keepImage();
    const made = makeStepImage(this.image, result, this.facts.limits);
    const image = made.image;
    if (image === null) return this.fail(made.error, 0);
    this.facts.claims.claimStack(image.chain);
    this.image = image;
  }

  private resultOf(config: Json): StepResult {
    const result = new StepResult(config, this.step!.history, this.state.author);
    result.wanted = this.platform;
    return result;
  }

  /** A client may have removed the image meanwhile: the container of a step needs it, and so does the cache. */
  private keepImage(): void {
    const image = this.image;
    if (image !== null) this.image = imageStore.add(image);
  }

  private tellMade(): void {
    this.facts.stream.kept(this.image!);
  }

  private get chain(): string | null {
    const image = this.image;
    return image === null ? null : image.chain;
  }

  private leaveSources(): void {
    const found = this.found;
    this.found = null;
    if (found !== null) found.drop();
  }

  private fail(why: string, code: i32): void {
    this.work = null;
    this.leaveSources();
    this.client.stageFailed(why, code);
  }
}

function stateOf(config: Json, facts: BuildFacts): BuildState {
  return new BuildState(config, new StageArguments(facts.args), facts.escape, facts.budget);
}
