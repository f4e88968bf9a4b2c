// `cachefrom` with images whose parents are not here, such as pulled ones: their history tells which steps made them
// (surface §2.22). It is written by whoever made the image, whom the client trusts by naming it.

import { Image } from "../image/image";
import { Json } from "../json/json";
import { fitsStep, isSame } from "./cache";
import { formerHistory, StepResult } from "./run/step-image";

/** A step that an image of the client's choice says to have. */
export class ForeignStep {
  constructor(
    /** The image that says so. Its layers may not be here yet. */
    readonly source: Image,
    /** ChainID of the step's layer; null if it has none. */
    readonly chain: string | null,
    /** The image of the step, if it is the last one of its image; otherwise it is made anew. */
    readonly image: Image | null,
    /** What the step adds to the image before it. */
    readonly result: StepResult,
  ) {}
}

/** What `step` made of `base` in one of these images; null if it is in none of them. */
export function foreignStep(base: Image | null, step: StepResult, sources: Image[]): ForeignStep | null {
  const former = formerHistory(base);
  for (let i = 0; i < sources.length; i++) {
    const source = sources[i];
    // The config is parsed only if its layers fit: it may be large, and is asked for each step.
    if (!fitsStep(source, base, step)) continue;
    const history = formerHistory(source);
    if (history.length <= former.length) continue;
    const entry = history[former.length];
    if (entry.stringOf("created_by") != step.createdBy || !beginsWith(history, former)) continue;
    const layers = base === null ? 0 : base.layers.length;
    const isEmpty = entry.boolOf("empty_layer");
    if (!isEmpty && source.layers.length <= layers) continue;
    const isLast = history.length == former.length + 1;
    if (entry.stringOf("author") != step.author) continue;
    if (isLast && !isEndOf(source, step, layers + (isEmpty ? 0 : 1))) continue;
    const result = new StepResult(step.config, step.createdBy, step.author);
    result.diffId = isEmpty ? "" : source.layers[layers].diffId;
    result.entry = entry;
    result.wanted = step.wanted;
    result.onlyCaches = step.onlyCaches;
    return new ForeignStep(source, isEmpty ? null : source.layers[layers].chain, isLast ? source : null, result);
  }
  return null;
}

/** Whether an image is what its last step would make: only then is it the result. */
function isEndOf(source: Image, step: StepResult, layers: i32): bool {
  if (source.layers.length != layers || source.author != step.author) return false;
  return isSame(source.containerConfig(), step.config);
}

function beginsWith(history: Json[], former: Json[]): bool {
  for (let i = 0; i < former.length; i++) if (!isSame(history[i], former[i])) return false;
  return true;
}
