// GET /containers/json (surface §2.5, §2.15, §6.5).

import { ContentCommandMeasure, Failure, Outcome, OutcomeSize } from "../../../../build/bindings/types";
import { flagOf, integerOf } from "../../api/parameters";
import { askContent } from "../../ask";
import { Call } from "../../call";
import { JsonWriter } from "../../json/writer";
import { badParameter, Refusal } from "../../refusal";
import { sendWritten } from "../../reply";
import { Task } from "../../task";
import { Container } from "../container";
import { containerStore } from "../store";
import { isCounted, keepSample } from "../usage/sizes";
import { ContainerFilter } from "./filter";
import { writeListItem } from "./list-item";

export function listContainers(call: Call): Refusal | null {
  const limit = integerOf(call.query, "limit");
  if (limit.error.length > 0) return badParameter(limit.error);
  const filter = new ContainerFilter();
  const refusal = filter.read(call.query.first("filters"));
  if (refusal !== null) return refusal;

  const all = flagOf(call.query, "all") || limit.value > 0 || filter.impliesAll;
  const found: Container[] = [];
  const newest = containerStore.newestFirst();
  for (let i = 0; i < newest.length; i++) {
    if (limit.value > 0 && found.length == limit.value) break;
    if ((all || newest[i].up) && filter.matches(newest[i])) found.push(newest[i]);
  }
  if (flagOf(call.query, "size") && found.length > 0) new Sizing(call, found).begin();
  else send(call, found, false);
  return null;
}

function send(call: Call, found: Container[], sized: bool): void {
  const json = new JsonWriter();
  json.beginArray();
  for (let i = 0; i < found.length; i++) {
    if (sized) found[i].tell();
    writeListItem(json, found[i], call.version, sized ? found[i].written : -1);
  }
  json.endArray();
  sendWritten(call, json);
}

/** Asks for the sizes of running containers, in parallel; those of other containers are stored. */
class Sizing extends Task {
  private open: i32 = 1;

  constructor(
    private readonly call: Call,
    private readonly found: Container[],
  ) {
    super();
  }

  begin(): void {
    for (let i = 0; i < this.found.length; i++) {
      if (isCounted(this.found[i])) continue;
      this.open += 1;
      askContent(this, i, new ContentCommandMeasure(this.found[i].id));
    }
    this.close();
  }

  ended(step: i32, outcome: Outcome | null, _failure: Failure | null): void {
    if (outcome !== null) keepSample(this.found[step], <i64>(<OutcomeSize>outcome).value);
    this.close();
  }

  private close(): void {
    this.open -= 1;
    if (this.open == 0) send(this.call, this.found, true);
  }
}
