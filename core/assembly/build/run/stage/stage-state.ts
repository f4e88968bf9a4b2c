// What the steps of a stage hand to one another.

import { Image } from "../../../image/image";
import { Platform } from "../../../image/platform";
import { Json } from "../../../json/json";
import { StageArguments } from "../../evaluation/build-arguments";
import { BuildState } from "../../evaluation/build-state";
import { BuildFacts } from "../build-facts";

export class StageState {
  /** Made so far; null for `scratch` without a step. */
  image: Image | null = null;
  build: BuildState;
  /** Of a stage that begins with nothing; null for the machine's. */
  platform: Platform | null = null;
  /** False from the first step on that was not done before. */
  usesCache: bool;

  /** `stage`: its name in lower case, or empty. */
  constructor(facts: BuildFacts, stage: string) {
    this.build = buildState(Json.object(), facts);
    this.usesCache = facts.options.useCache && !(stage.length > 0 && facts.options.uncached.includes(stage));
  }

  get chain(): string | null {
    const image = this.image;
    return image === null ? null : image.chain;
  }

  /** The stage begins with this image, or with nothing. */
  begin(image: Image | null, facts: BuildFacts): void {
    this.image = image;
    this.build = buildState(image === null ? Json.object() : image.containerConfig().copy(), facts);
    if (image !== null) this.build.author = image.author;
    // As in BuildKit (moby/buildkit, frontend/dockerfile/dockerfile2llb/image.go).
    else if (facts.options.onlyCaches) this.build.config.set("WorkingDir", Json.string("/"));
    this.build.config.addPath();
  }
}

function buildState(config: Json, facts: BuildFacts): BuildState {
  const state = new BuildState(config, new StageArguments(facts.args), facts.escape, facts.budget);
  state.isBuildKit = facts.options.onlyCaches;
  return state;
}
