// GET /containers/{id}/changes (surface §2.12): what a container has changed in its image's files.

import {
  Changed,
  Compare,
  ContentCommandCompare,
  Failure,
  Outcome,
  OutcomeChanged,
} from "../../../../build/bindings/types";
import { askContent } from "../../ask";
import { Call } from "../../call";
import { failureText } from "../../failure/text";
import { JsonWriter } from "../../json/writer";
import { internal, Refusal } from "../../refusal";
import { line, sendJson, sendRefusal } from "../../reply";
import { Task } from "../../task";
import { Container } from "../container";
import { containerStore } from "../store";

/** Number of paths in one page. */
const PAGE: u32 = 10_000;

export function containerChanges(call: Call): Refusal | null {
  const lookup = containerStore.lookUp(call.name);
  const container = lookup.container;
  if (container === null) return lookup.refusal;
  new Comparing(call, container).begin("");
  return null;
}

class Comparing extends Task {
  private readonly json: JsonWriter = new JsonWriter();
  private isEmpty: bool = true;

  constructor(
    private readonly call: Call,
    private readonly container: Container,
  ) {
    super();
  }

  begin(after: string): void {
    const compare = new Compare(this.container.id, this.container.chain, after, PAGE);
    askContent(this, 0, new ContentCommandCompare(compare));
  }

  ended(_step: i32, outcome: Outcome | null, failure: Failure | null): void {
    if (failure !== null) return sendRefusal(this.call, internal(failureText(failure)));
    const page = (<OutcomeChanged>outcome!).value;
    for (let i = 0; i < page.length; i++) this.add(page[i]);
    if (<u32>page.length == PAGE) return this.begin(page[page.length - 1].path);
    const json = this.json;
    // Docker's answer if there are no changes.
    if (this.isEmpty) json.null();
    else json.endArray();
    sendJson(this.call, 200, line(json));
  }

  private add(changed: Changed): void {
    const json = this.json;
    if (this.isEmpty) json.beginArray();
    this.isEmpty = false;
    json.beginObject();
    json.stringField("Path", changed.path);
    json.i64Field("Kind", <i64>changed.kind);
    json.endObject();
  }
}
