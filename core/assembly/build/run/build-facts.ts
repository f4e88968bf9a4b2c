// What all stages of a build share.

import { Image } from "../../image/image";
import { Claims } from "../../image/layers/claims";
import { ClientCache } from "../kept-cache";
import { ClientDirectories } from "../client-directories";
import { ClientSecrets } from "../client-secrets";
import { CredentialsSource } from "../credentials";
import { Budget } from "../evaluation/budget";
import { BuildArguments } from "../evaluation/build-arguments";
import { LateChecks } from "../lint/late-checks";
import { BuildOptions } from "../options";
import { Stages } from "../stages/stages";
import { BasePulls } from "./base/base-pulls";
import { BuildProgress } from "./build-progress";
import { StageOutput } from "./output/stage-output";
import { CacheLayers } from "./cache-layers";
import { Place } from "./place";
import { StepLimits } from "./step-limits";

export class BuildFacts {
  readonly claims: Claims = new Claims();
  readonly args: BuildArguments = new BuildArguments();
  readonly budget: Budget = new Budget();
  readonly limits: StepLimits = new StepLimits();
  readonly context: Place = new Place(null);
  readonly pulls: BasePulls;
  /** Images whose steps are the cache, for BuildKit besides its own; empty for all. */
  cacheSources: Image[] = [];
  /** Null until it is known which there are. Some are in registries: their layers may not be here. */
  imports: CacheLayers | null = null;
  /** In directories of the client. */
  clientCaches: ClientCache[] = [];
  /** Null if the client cannot be asked. */
  secrets: ClientSecrets | null = null;
  /** Null if the client has none besides its context. */
  directories: ClientDirectories | null = null;
  /** There is none if the Dockerfile alone was fetched from a web server. */
  hasContext: bool = true;
  /** Its files are only fetched once a step needs them. */
  lacksContext: bool = false;
  /** Patterns as of a `.dockerignore`, cleaned: files of the context that no copy sees. */
  hidden: string[] = [];
  /** Of the labels that the client gives, in order. */
  labelNames: string[] = [];
  /** The Dockerfile's text, once it is known. */
  dockerfile: string = "";
  /** The Dockerfile's escape character. */
  escape: i32 = 0x5c;
  /** The build has ended or was cancelled. */
  over: bool = false;
  stages: Stages = new Stages();
  /** Null if nothing is left to check in the Dockerfile. */
  checks: LateChecks | null = null;
  /** Number of steps of all stages that are built. */
  total: i32 = 0;
  /** By the index of a stage: the image that it has made, whether it is made, and what its client sees of it. */
  private readonly images: (Image | null)[] = [];
  private readonly made: bool[] = [];
  private readonly streams: BuildProgress[] = [];
  private readonly outputs: StageOutput[] = [];
  /** Number of the newest step that was announced. */
  private readonly told: i32[] = [];

  constructor(
    readonly options: BuildOptions,
    readonly stream: BuildProgress,
    readonly credentials: CredentialsSource,
    /** API version of the client. */
    readonly version: i32,
  ) {
    this.pulls = new BasePulls(credentials);
  }

  /** Nothing is in the cache but steps of `cacheSources`. */
  get trustsOnlySources(): bool {
    return this.cacheSources.length > 0 && !this.options.onlyCaches;
  }

  /** `before`: number of the step before its FROM. */
  addStage(stream: BuildProgress, output: StageOutput, before: i32): void {
    this.images.push(null);
    this.made.push(false);
    this.streams.push(stream);
    this.outputs.push(output);
    this.told.push(before);
  }

  streamOf(stage: i32): BuildProgress {
    return this.streams[stage];
  }

  outputOf(stage: i32): StageOutput {
    return this.outputs[stage];
  }

  /** The next step of a stage. `original`: the instruction as it is written. */
  announce(stage: i32, original: string): void {
    this.told[stage] += 1;
    this.streams[stage].announce(this.told[stage], this.total, original);
  }

  /**
   * A stage begins with an image. Tells a client of BuildKit what only that shows. Returns why the build ends here; empty if
   * it goes on.
   */
  checkBase(stage: i32, image: Image): string {
    const checks = this.checks;
    if (checks === null) return "";
    const found = checks.take(stage, image);
    if (found.length == 0) return "";
    this.streams[stage].found(found, this.options.dockerfile, this.dockerfile);
    return checks.error;
  }

  /** `image`: null for one without layers and config. */
  take(stage: i32, image: Image | null): void {
    this.images[stage] = image;
    this.made[stage] = true;
  }

  isMade(stage: i32): bool {
    return this.made[stage];
  }

  areMade(stages: i32[]): bool {
    for (let i = 0; i < stages.length; i++) if (!this.made[stages[i]]) return false;
    return true;
  }

  /** Those of all stages that are made. */
  get madeImages(): Image[] {
    const made: Image[] = [];
    for (let i = 0; i < this.images.length; i++) {
      const image = this.images[i];
      if (image !== null) made.push(image);
    }
    return made;
  }

  /** The image that a stage has made; null for one without layers and config. */
  imageOf(stage: i32): Image | null {
    return this.images[stage];
  }
}
