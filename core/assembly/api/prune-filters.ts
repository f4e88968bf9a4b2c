// `filters` of the prune endpoints (surface §2.5, §2.23): by age and by labels.

import { badParameter, Refusal } from "../refusal";
import { engine } from "../state";
import { BAD_TIME, parseFilterTime } from "../text/time";
import { FilterFlag, Filters, parseFilters } from "./filters";

export class PruneFilters {
  private filters: Filters = new Filters();
  private until: i64 = i64.MAX_VALUE;

  /** Why the parameter is invalid; null if it is valid. `known`: the endpoint's keys. */
  read(text: string, known: string[]): Refusal | null {
    this.filters = parseFilters(text, known);
    if (this.filters.error.length > 0) return badParameter(this.filters.error);
    const times = this.filters.values("until");
    if (times.length == 0) return null;
    if (times.length > 1) return badParameter("more than one until filter specified");
    this.until = parseFilterTime(times[0], engine.now.wall);
    if (this.until != BAD_TIME) return null;
    return badParameter(`failed to parse value as time or duration: "${times[0]}"`);
  }

  /** There is no filter by age or labels. */
  get isFree(): bool {
    return this.until == i64.MAX_VALUE && !this.filters.has("label") && !this.filters.has("label!");
  }

  /** A boolean filter, with `absent` for a missing one; `FilterFlag.Bad` is refused with `flagProblem`. */
  flag(key: string, absent: FilterFlag): FilterFlag {
    const flag = this.filters.flag(key);
    return flag == FilterFlag.Absent ? absent : flag;
  }

  flagProblem(key: string): Refusal {
    return badParameter(this.filters.flagError(key));
  }

  /** `created`: nanoseconds since 1970. */
  match(created: i64, labelKeys: string[], labelValues: string[]): bool {
    if (created > this.until) return false;
    // An object with all of these labels stays; one with only some of them is pruned.
    if (this.filters.has("label!") && this.filters.labels("label!", labelKeys, labelValues)) return false;
    return this.filters.labels("label", labelKeys, labelValues);
  }
}
