// The build cache (surface §2.22). As with Docker's classic builder it is made of images: a step was done before if an
// image with the same parent was made by the same step. So it outlives the engine, and is pruned as images are.
//
// History and parent are words that anybody can write into an image that is loaded, pulled or committed. So only images
// that a build has made here count, unless the client names the images that it trusts (`cachefrom`), and only with
// exactly the config, the platform and the layers that the step would have.

import { Image } from "../image/image";
import { imageStore } from "../image/store";
import { Json } from "../json/json";
import { JsonWriter } from "../json/writer";
import { formerHistory, StepResult, stepPlatform } from "./run/step-image";

/** The newest image that `step` made of `base`; null if there is none. `sources`: of `cachefrom`. */
export function cachedStep(base: Image | null, step: StepResult, sources: Image[]): Image | null {
  const images = imageStore.all();
  let found: Image | null = null;
  for (let i = 0; i < images.length; i++) {
    const image = images[i];
    if (!image.built && sources.length == 0) continue;
    if (!isOn(image, base, step) || !isMadeBy(image, base, step)) continue;
    if (sources.length > 0 && !isBelowOne(image, sources)) continue;
    if (found === null || image.created > found.created) found = image;
  }
  return found;
}

/** Whether it is a child of `base` by its record, by its layers, at most one of which is new, and by its platform. */
function isOn(image: Image, base: Image | null, step: StepResult): bool {
  if (image.parent != (base === null ? "" : base.id)) return false;
  const below = base === null ? 0 : base.layers.length;
  return image.layers.length <= below + 1 && fitsStep(image, base, step);
}

/** Whether an image of any number of steps may be made of `base`: it has its layers below, and the platform of a step. */
export function fitsStep(image: Image, base: Image | null, step: StepResult): bool {
  const below = base === null ? 0 : base.layers.length;
  if (image.layers.length < below) return false;
  if (below > 0 && image.layers[below - 1].chain != base!.layers[below - 1].chain) return false;
  const platform = stepPlatform(base, step);
  return image.os == platform.os && image.architecture == platform.architecture && image.variant == platform.variant;
}

/** Whether the newest entry of its history, and only that, is the step, and its config is that of the step. */
function isMadeBy(image: Image, base: Image | null, step: StepResult): bool {
  // Of its newest entry. Only a document that may be the step's is read.
  if (image.madeBy != step.createdBy) return false;
  const document = image.document();
  const history = document.find("history");
  if (history === null || !history.isArray || history.length == 0) return false;
  if (history.length != formerHistory(base).length + 1 || image.author != step.author) return false;
  return isSame(image.containerConfig(), step.config);
}

/** Members in another order are another config: the same step writes them in the same order. */
export function isSame(left: Json, right: Json): bool {
  const one = new JsonWriter().json(left).take();
  const other = new JsonWriter().json(right).take();
  return one.length == other.length && memory.compare(one.dataStart, other.dataStart, one.length) == 0;
}

/** With `cachefrom`, only steps of these images count. */
function isBelowOne(image: Image, sources: Image[]): bool {
  for (let i = 0; i < sources.length; i++) {
    let at: Image | null = sources[i];
    // A chain of parents is no longer than the number of layers and steps; a damaged record might close a circle.
    for (let steps = 0; at !== null && steps < MOST_STEPS; steps++) {
      if (at.id == image.id) return true;
      at = imageStore.find(at.parent);
    }
  }
  return false;
}

const MOST_STEPS: i32 = 10_000;
