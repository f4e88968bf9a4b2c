// What is told of the steps of a build that is over. A step that has written something is told twice, as it began and as it
// ended: what it wrote comes between, so that a client shows it there.

import { Json } from "../../../json/json";
import { parseJson } from "../../../json/reader";
import { JsonWriter } from "../../../json/writer";
import { LogNews, News } from "../progress/news";
import { StepLog } from "./step-logs";
import { Steps } from "./steps";

/** What only the end of a step tells. */
const OF_THE_END: string[] = ["cached", "completed", "error"];

/** Messages `StatusResponse` and logs, in their order. */
export function pastSteps(steps: Steps): News[] {
  const told = steps.document.length > 0 ? parseJson(steps.document) : null;
  return told === null ? [] : new PastSteps(told, steps.logs).news;
}

class PastMessage extends News {
  constructor(private readonly bytes: Uint8Array) {
    super();
  }

  line(): Uint8Array {
    return this.bytes;
  }
}

class PastSteps {
  readonly news: News[] = [];
  private readonly logs: Map<string, StepLog> = new Map<string, StepLog>();
  /** Vertices of the next message. */
  private next: Json[] = [];

  constructor(
    private readonly told: Json,
    logs: StepLog[],
  ) {
    for (let i = 0; i < logs.length; i++) this.logs.set(logs[i].vertex, logs[i]);
    const vertices = itemsOf(told, "vertexes");
    for (let i = 0; i < vertices.length; i++) this.tell(vertices[i]);
    this.say(null);
  }

  private tell(vertex: Json): void {
    const digest = vertex.stringOf("digest");
    if (this.logs.has(digest)) {
      this.say(vertex);
      this.news.push(new LogNews(this.logs.get(digest).source));
    }
    this.next.push(vertex);
  }

  /** `begun`: a vertex that has something to tell before its end; null at the end of all. */
  private say(begun: Json | null): void {
    const json = new JsonWriter().beginObject();
    const ended = new Set<string>();
    json.key("vertexes").beginArray();
    for (let i = 0; i < this.next.length; i++) {
      json.json(this.next[i]);
      ended.add(this.next[i].stringOf("digest"));
    }
    if (begun !== null) writeBegun(json, begun);
    json.endArray().key("statuses").beginArray();
    const statuses = itemsOf(this.told, "statuses");
    for (let i = 0; i < statuses.length; i++) if (ended.has(statuses[i].stringOf("vertex"))) json.json(statuses[i]);
    json.endArray().key("warnings").beginArray();
    const warnings = itemsOf(this.told, "warnings");
    for (let i = 0; i < warnings.length && begun === null; i++) json.json(warnings[i]);
    this.news.push(new PastMessage(json.endArray().endObject().line("\n").finish()));
    this.next = [];
  }
}

function writeBegun(json: JsonWriter, vertex: Json): void {
  json.beginObject();
  for (let i = 0; i < vertex.keys.length; i++) {
    if (!OF_THE_END.includes(vertex.keys[i])) json.key(vertex.keys[i]).json(vertex.items[i]);
  }
  json.endObject();
}

function itemsOf(message: Json, list: string): Json[] {
  const found = message.find(list);
  return found === null ? [] : found.items;
}
