// Which entries of the builder's cache are meant, as clients of BuildKit say it: `type==regular`, `id~=^ab`, `shared`.

import { FieldFilter } from "../field-filter";
import { CacheEntry } from "./cache-entry";

/** Chooses entries. */
export interface EntryFilter {
  matches(entry: CacheEntry): bool;
}

export class CacheFilter extends FieldFilter implements EntryFilter {
  matches(entry: CacheEntry): bool {
    return this.holdsFor(entry);
  }
}
