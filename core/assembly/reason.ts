// Why a step did what it did. Kept as found, since most steps are never asked: words are made by `explain`.

import { Note } from "../../build/bindings/types";

export abstract class Reason {
  /** In words. */
  abstract note(): Note;
}

/** Those of the last `open` or `step`, in order. */
export const reasons: Reason[] = [];
