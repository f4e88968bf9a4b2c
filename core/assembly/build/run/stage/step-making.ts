// One step of a stage: it is found in the cache, or done; and an image is made of it.

import { Image } from "../../../image/image";
import { layerStore } from "../../../image/layers/layer-store";
import { imageStore } from "../../../image/store";
import { Json } from "../../../json/json";
import { cachedStep } from "../../cache";
import { notedUses } from "../../caches/noted-uses";
import { wholeOwner } from "../../evaluation/owner";
import { commandWithMounts, CopyStep, RunStep, Step, StepKind } from "../../evaluation/step";
import { foreignStep } from "../../foreign-cache";
import { Stage } from "../../stages/stage";
import { BuildFacts } from "../build-facts";
import { BuildProgress } from "../build-progress";
import { FetchClient } from "../cache-layers";
import { CopySources, SourcesClient } from "../copy-sources";
import { copyWish } from "../copy-wish";
import { CopyWork } from "../copy-work";
import { DirectoryWork } from "../directory-work";
import { explained } from "../foreign-program";
import { FoundSources } from "../found-sources";
import { MountSource, MountSources, MountSourcesClient } from "../mounts/mount-sources";
import { RunMounts } from "../mounts/run-mounts";
import { runWish } from "../run-wish";
import { RunWork } from "../run-work";
import { makeStepImage, StepResult } from "../step-image";
import { unbuiltIn } from "../unbuilt";
import { OpenWork, WorkClient } from "../work";
import { StageState } from "./stage-state";
import { StepTurn, TurnClient } from "./steps-underway";

/** Waits for a step. */
export interface StepClient {
  /** The image of the step is in the stage's state. */
  stepMade(): void;
  /** `code`: exit code of the program that failed; 0 if none did. */
  stepFailed(why: string, code: i32): void;
  /** Another stage, or another build, does the same step: this one goes on by `goOn`. */
  stepWaits(making: StepMaking): void;
  /** What other stages may wait for is done, or what this one waits for. */
  stepLeft(): void;
}

export class StepMaking implements WorkClient, SourcesClient, MountSourcesClient, FetchClient, TurnClient, OpenWork {
  private work: OpenWork | null = null;
  /** What a copy takes, until it is over. */
  private found: FoundSources | null = null;
  /** What the command sees besides the image's files. */
  private mounts: MountSource[] = [];
  private readonly turn: StepTurn = new StepTurn();
  private readonly stream: BuildProgress;

  constructor(
    private readonly step: Step,
    private readonly plan: Stage,
    private readonly state: StageState,
    private readonly facts: BuildFacts,
    private readonly client: StepClient,
  ) {
    this.stream = facts.streamOf(plan.index);
  }

  begin(): void {
    const step = this.step;
    if (step.problem.length > 0) return this.fail(step.problem, 0);
    for (let i = 0; i < step.notes.length; i++) this.stream.note(step.notes[i]);
    const problem = unbuiltIn(step, this.facts.secrets !== null);
    if (problem.length > 0) return this.fail(problem, 0);
    const copy = step.copy;
    if (copy !== null) return this.findFiles(copy);
    const run = step.run;
    if (run !== null && run.mounts.length > 0) return this.findMounts(run);
    this.carryOut();
  }

  mountsFound(sources: MountSource[], digest: string): void {
    this.work = null;
    this.mounts = sources;
    const step = this.step;
    if (digest.length > 0) step.command = commandWithMounts(step.command, step.run!, digest);
    this.carryOut();
  }

  mountsMissing(why: string): void {
    this.fail(why, 0);
  }

  sourcesFound(found: FoundSources): void {
    this.work = null;
    this.found = found;
    this.step.command = this.step.copy!.commandFor(found.digest);
    this.carryOut();
  }

  sourcesMissing(why: string): void {
    this.fail(why, 0);
  }

  /** Whoever did the same step does not do it any more. */
  get canGoOn(): bool {
    return this.turn.canGoOn;
  }

  /** The step is in the cache now, or is done after all. */
  goOn(): void {
    this.turn.goOn();
    this.stream.waited();
    this.carryOut();
  }

  turnCame(): void {
    this.client.stepLeft();
  }

  workKept(diffId: string, container: string): void {
    this.keep(diffId, container);
  }

  workDone(): void {
    const isAwaited = this.turn.end(false);
    if (this.facts.over) return;
    this.finish();
    if (isAwaited) this.client.stepLeft();
  }

  workFailed(why: string, code: i32): void {
    this.fail(this.step.kind == StepKind.Run ? explained(why, code, this.state.image) : why, code);
  }

  cancel(): void {
    const work = this.work;
    this.work = null;
    this.turn.cancel();
    if (work !== null) work.cancel();
    this.leaveSources();
  }

  private findFiles(copy: CopyStep): void {
    const sources = new CopySources(copy, this.plan, this.facts, this);
    this.work = sources;
    sources.begin();
  }

  private findMounts(run: RunStep): void {
    const sources = new MountSources(run, this.plan, this.facts, this);
    this.work = sources;
    sources.begin();
  }

  private carryOut(): void {
    const takesTime = this.step.kind != StepKind.Config;
    if (takesTime && this.waitsForEqual()) return;
    if (this.waitsForLayers() || this.takeCached()) return;
    if (!takesTime) return this.keepConfig();
    this.turn.begin(this.stepKey);
    switch (this.step.kind) {
      case StepKind.Directory:
        return this.makeDirectory();
      case StepKind.Copy:
        return this.copy();
      default:
        this.run();
    }
  }

  /** With `cachefrom` the other stage's image is none of those that count. */
  private waitsForEqual(): bool {
    if (!this.state.usesCache || this.facts.trustsOnlySources) return false;
    if (!this.turn.waitsFor(this.stepKey, this)) return false;
    this.stream.waits();
    this.client.stepWaits(this);
    return true;
  }

  /** Whether the configs are the same, too, is the cache's question. */
  private get stepKey(): string {
    const image = this.state.image;
    return `${image === null ? "" : image.id} ${this.step.history}`;
  }

  private makeDirectory(): void {
    const state = this.state;
    const path = state.build.config.text("WorkingDir");
    const owner: string | null = this.step.owner.length > 0 ? wholeOwner(this.step.owner) : null;
    const work = new DirectoryWork(path, owner, state.chain, this.facts.claims, this);
    this.work = work;
    work.begin();
  }

  private run(): void {
    this.keepImage();
    const facts = this.facts;
    const state = this.state;
    const wish = runWish(state.image, state.build.config.json(), this.step.run!, facts.options, facts.version);
    const mounts = new RunMounts(this.mounts, facts.context, facts.hidden, facts.secrets);
    const work = new RunWork(wish, mounts, this.stream, facts.outputOf(this.plan.index), facts.claims, this);
    this.work = work;
    work.begin();
  }

  private copy(): void {
    const work = new CopyWork(copyWish(this.step.copy!), this.found!, this.state.chain, this.facts.claims, this);
    this.work = work;
    work.begin();
  }

  /** True if the step was done elsewhere, and its layers are fetched. */
  private waitsForLayers(): bool {
    const facts = this.facts;
    const imports = facts.imports;
    if (imports === null || !imports.mayLack || !this.state.usesCache) return false;
    const result = this.resultOf(this.state.build.config.json());
    const foreign = foreignStep(this.state.image, result, facts.cacheSources);
    if (foreign === null || foreign.chain === null || layerStore.isWhole(foreign.chain)) return false;
    if (cachedStep(this.state.image, result, []) !== null) return false;
    this.work = imports.fetch(foreign.source, this);
    return true;
  }

  layerMoved(what: string, id: string, current: u64, total: u64): void {
    this.stream.layerMoved(what, id, current, total);
  }

  layersSettled(): void {
    this.work = null;
    if (!this.facts.over) this.carryOut();
  }

  /** True if the step was done before: then nothing is left to do. */
  private takeCached(): bool {
    const state = this.state;
    if (!state.usesCache) return false;
    const image = this.cached();
    if (this.facts.over) return true;
    if (image === null) {
      state.usesCache = false;
      return false;
    }
    this.facts.claims.claimImage(image);
    state.image = image;
    this.stream.cached();
    this.finish();
    return true;
  }

  /** The image of the step; null if it is not in the cache. */
  private cached(): Image | null {
    const state = this.state;
    const result = this.resultOf(state.build.config.json());
    const sources = this.facts.cacheSources;
    const image = cachedStep(state.image, result, this.facts.trustsOnlySources ? sources : []);
    if (image !== null) notedUses.image(image);
    if (image !== null || sources.length == 0) return image;
    const foreign = foreignStep(state.image, result, sources);
    if (foreign === null) return null;
    const whole = foreign.image;
    if (whole !== null) return this.keepForeign(whole);
    // What cannot be taken from another image is made.
    return makeStepImage(state.image, foreign.result, this.facts.limits).image;
  }

  /** If all its layers were here, nobody has fetched it: then it is not in the store yet. */
  private keepForeign(image: Image): Image {
    if (imageStore.find(image.id) === null) image.onlyCache = this.facts.options.onlyCaches;
    return imageStore.add(image);
  }

  private keepConfig(): void {
    this.keep("", "");
    if (!this.facts.over) this.finish();
  }

  private keep(diffId: string, container: string): void {
    const state = this.state;
    const result = this.resultOf(state.build.config.json().copy());
    result.diffId = diffId;
    result.container = container;
    this.keepImage();
    const made = makeStepImage(state.image, result, this.facts.limits);
    const image = made.image;
    if (image === null) return this.fail(made.error, 0);
    this.facts.claims.claimImage(image);
    state.image = image;
  }

  private resultOf(config: Json): StepResult {
    const result = new StepResult(config, this.step.history, this.state.build.author);
    result.wanted = this.state.platform;
    result.onlyCaches = this.facts.options.onlyCaches;
    return result;
  }

  /** A client may have removed the image meanwhile: the container of a step needs it, and so does the cache. */
  private keepImage(): void {
    const image = this.state.image;
    if (image !== null) this.state.image = imageStore.add(image);
  }

  private finish(): void {
    this.work = null;
    this.leaveSources();
    this.stream.kept(this.state.image!);
    this.client.stepMade();
  }

  private leaveSources(): void {
    const found = this.found;
    this.found = null;
    if (found !== null) found.drop();
  }

  private fail(why: string, code: i32): void {
    this.work = null;
    this.turn.end(true);
    this.leaveSources();
    this.client.stepFailed(why, code);
  }
}
