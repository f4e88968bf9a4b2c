// Door to the rules of a container's life.

import { CAUSE_NAMES, STATUS_NAMES, next } from "../../../core/assembly/container/lifecycle";
import { answer } from "./exchange";
import { Json } from "./json";

export { allocate, collect, outputLength, outputStart } from "./exchange";

/** One row per status: the next status for each cause, or -1. */
export function table(): void {
  const rows = Json.array();
  for (let status = 0; status < STATUS_NAMES.length; status++) {
    const row = Json.array();
    for (let cause = 0; cause < CAUSE_NAMES.length; cause++) row.push(Json.i64(next(status, cause)));
    rows.push(row);
  }
  answer(rows);
}
