// The files of a build's results, for a client that looks at them: each result is mounted when it is first looked at, as a
// file system of the build's own, and dropped with the build.

import { Place } from "../../run/place";

export class ResultPlaces {
  /** By the ids of the results. */
  private readonly places: Map<string, Place> = new Map<string, Place>();

  /** `chain`: of the result's image; null if it has no files. */
  of(id: string, chain: string | null): Place {
    if (!this.places.has(id)) this.places.set(id, new Place(chain));
    return this.places.get(id);
  }

  drop(): void {
    const places = this.places.values();
    this.places.clear();
    for (let i = 0; i < places.length; i++) places[i].drop();
  }
}
