// What all stages of a build share.

import { Image } from "../../image/image";
import { Claims } from "../../image/layers/claims";
import { BuildCredentials } from "../credentials";
import { Budget } from "../evaluation/budget";
import { BuildArguments } from "../evaluation/build-arguments";
import { BuildOptions } from "../options";
import { Stages } from "../stages/stages";
import { BuildProgress } from "./build-progress";
import { Place } from "./place";
import { StepLimits } from "./step-limits";

export class BuildFacts {
  readonly claims: Claims = new Claims();
  readonly args: BuildArguments = new BuildArguments();
  readonly budget: Budget = new Budget();
  readonly limits: StepLimits = new StepLimits();
  readonly context: Place = new Place(null);
  /** Images whose steps are the cache; empty for all. */
  cacheSources: Image[] = [];
  /** There is none if the Dockerfile alone was fetched from a web server. */
  hasContext: bool = true;
  /** Files of the context that no copy sees. */
  hidden: string[] = [];
  /** Of the labels that the client gives, in order. */
  labelNames: string[] = [];
  /** The Dockerfile's escape character. */
  escape: i32 = 0x5c;
  /** The build has ended or was cancelled. */
  over: bool = false;
  stages: Stages = new Stages();
  /** The image that each stage has made. */
  images: (Image | null)[] = [];
  /** Number of steps of all stages that are built. */
  total: i32 = 0;
  private told: i32 = 0;

  constructor(
    readonly options: BuildOptions,
    readonly stream: BuildProgress,
    readonly credentials: BuildCredentials,
    /** API version of the client. */
    readonly version: i32,
  ) {}

  /** `original`: the instruction as it is written. */
  announce(original: string): void {
    this.told += 1;
    this.stream.announce(this.told, this.total, original);
  }

  /** The image that a stage has made; null for one without layers and config. */
  imageOf(stage: i32): Image | null {
    return this.images[stage];
  }
}
