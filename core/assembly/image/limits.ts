// Limits for data from outside.

import { TarLimits } from "../../../build/bindings/types";
import { engine } from "../state";
import { Descriptor } from "./manifest";

/** Repositories that an image remembers. Clients name them, and its record is written again with each. */
export const MOST_REPOSITORIES: i32 = 100;

/** More than any useful file has, but within the limits of file systems. */
const FREE_HOLES: u64 = 1 << 40;
/** For machines on which holes take as much room as zeros. */
const FILLED_HOLES: u64 = 256 << 20;

/** In bytes: of an image's list, index, manifest or config, and of what registries answer to questions. */
export function documentLimit(): u32 {
  return engine.options.documentLimit;
}

/** Why an image has too many layers, in Docker's words and ours; empty if it has not. */
export function depthProblem(layers: i32): string {
  const most = engine.options.layerLimit;
  if (<u32>layers <= most) return "";
  return `max depth exceeded: ${layers.toString()} layers are more than ${most.toString()}, as max-image-layers allows`;
}

/** Why an image from outside is too large, by its sizes in its manifest; empty if it is not. */
export function sizeProblem(layers: Descriptor[]): string {
  const most = engine.options.unpackedLimit;
  for (let i = 0; i < layers.length; i++) {
    if (layers[i].size > most)
      return `layer ${layers[i].digest} is larger than ${most.toString()} bytes, as max-unpacked-size allows`;
  }
  return "";
}

/** The limits of a tar. Its header alone can claim holes of any size. */
export function tarLimits(): TarLimits {
  return new TarLimits(engine.options.unpackedLimit, engine.options.machine.sparseFiles ? FREE_HOLES : FILLED_HOLES);
}
