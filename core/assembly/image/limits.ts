// Limits for data from outside.

import { TarLimits } from "../../../build/bindings/types";
import { engine } from "../state";

/** Bytes of an image's document: a list, an index, a manifest, a config. */
export const DOCUMENT_LIMIT: u32 = 4 << 20;

/** Repositories that an image remembers. Clients name them, and its record is written again with each. */
export const MOST_REPOSITORIES: i32 = 100;

/** More than any useful file has, but within the limits of file systems. */
const FREE_HOLES: u64 = 1 << 40;
/** For machines on which holes take as much room as zeros. */
const FILLED_HOLES: u64 = 256 << 20;

/** The limits of a tar. Its header alone can claim holes of any size. */
export function tarLimits(): TarLimits {
  return new TarLimits(engine.options.unpackedLimit, engine.options.machine.sparseFiles ? FREE_HOLES : FILLED_HOLES);
}
