// Why a step did what it did. Reasons are stored as data, since most are never read; `explain` turns them into words.

import { Note } from "../../build/bindings/types";

export abstract class Reason {
  /** The reason in words. */
  abstract note(): Note;
}

/** The reasons of the last `open` or `step`, in order. */
export const reasons: Reason[] = [];
