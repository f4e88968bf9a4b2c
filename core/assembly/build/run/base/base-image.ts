// The image that a stage begins with, or that files are copied from: one that is here, or one that is pulled.

import { hostPlatform } from "../../../image/host-platform";
import { parsePlatform, Platform } from "../../../image/platform";
import { Stage } from "../../stages/stage";
import { BuildFacts } from "../build-facts";
import { ImageClient, ImageSearch } from "./image-search";

/** A search for a stage: for its platform, or else the build's. Null if the stage names none that there is. */
export function imageSearch(stage: Stage, facts: BuildFacts, client: ImageClient): ImageSearch | null {
  const platform = wantedPlatform(stage, facts);
  if (platform === null && stage.platform.length > 0) return null;
  return new ImageSearch(facts.streamOf(stage.index), facts.pulls, platform, client);
}

/** The platform that a stage names, or else the build's. Null if there is none, and if the stage's is not valid. */
export function wantedPlatform(stage: Stage, facts: BuildFacts): Platform | null {
  return stage.platform.length > 0 ? parsePlatform(stage.platform, hostPlatform()) : facts.options.platform;
}
