// The files that a COPY or an ADD takes, by the places that they are in.

import { ChosenFile, MissingFiles } from "../../../../build/bindings/types";
import { Place } from "./place";

/** Files of one place. */
export class CopySource {
  constructor(
    readonly place: Place,
    readonly files: ChosenFile[],
    /** What counts as missing in the place. */
    readonly missing: MissingFiles,
    /** What the files of each pattern are called where they are put. Empty: each has its own name. */
    readonly names: string[],
    /** Tars are unpacked. */
    readonly unpack: bool,
  ) {}
}

export class FoundSources {
  readonly sources: CopySource[] = [];
  /** Digest of all that is copied, for history and cache. */
  digest: string = "";
  private places: Place[] = [];

  /** Is dropped with this. */
  own(place: Place): void {
    this.places.push(place);
  }

  get count(): i32 {
    let count = 0;
    for (let i = 0; i < this.sources.length; i++) count += this.sources[i].files.length;
    return count;
  }

  /** The places are not needed any more. */
  drop(): void {
    const places = this.places;
    this.places = [];
    for (let i = 0; i < places.length; i++) places[i].drop();
  }
}
