// The build cache (surface §2.22). As with Docker's classic builder it is made of images: a step was done before if an
// image with the same parent was made by the same step. So it outlives the engine, and is pruned as images are.

import { Image } from "../image/image";
import { imageStore } from "../image/store";

/** The newest image that a step made of `base`; null if there is none. `createdBy`: see `StepResult`. */
export function cachedStep(base: Image | null, createdBy: string, sources: Image[]): Image | null {
  const parent = base === null ? "" : base.id;
  const images = imageStore.all();
  let found: Image | null = null;
  for (let i = 0; i < images.length; i++) {
    const image = images[i];
    if (image.parent != parent || !isMadeBy(image, base, createdBy)) continue;
    if (sources.length > 0 && !isBelowOne(image, sources)) continue;
    if (found === null || image.created > found.created) found = image;
  }
  return found;
}

/** Images without a parent come from elsewhere, too: their history tells whether they have had one step only. */
function isMadeBy(image: Image, base: Image | null, createdBy: string): bool {
  const history = image.document().find("history");
  if (history === null || !history.isArray || history.length == 0) return false;
  if (base === null && history.length != 1) return false;
  return history.items[history.length - 1].stringOf("created_by") == createdBy;
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
