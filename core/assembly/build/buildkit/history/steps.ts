// The steps of a build that is over, as those are told who ask for them later.

import { JsonWriter } from "../../../json/writer";
import { ListedNews, News } from "../progress/news";
import { Vertex, VertexStatus, VertexWarning } from "../progress/vertices";
import { StepLog } from "./step-logs";

/** Bytes of JSON that are kept of one build. */
const MOST_BYTES: i32 = 64 * 1024;

export class Steps {
  total: i32 = 0;
  completed: i32 = 0;
  cached: i32 = 0;
  warnings: i32 = 0;
  /** A message `StatusResponse` in JSON; empty if nothing is known. */
  document: Uint8Array = new Uint8Array(0);
  /** What commands wrote. */
  readonly logs: StepLog[] = [];

  /** `told`: what watchers were told, each once. */
  take(told: News[]): void {
    for (let i = 0; i < told.length; i++) {
      const news = told[i];
      if (news instanceof Vertex) this.count(<Vertex>news);
      else if (news instanceof VertexWarning) this.warnings += 1;
    }
    const json = new JsonWriter().beginObject();
    json.key("vertexes").beginArray();
    for (let i = 0; i < told.length; i++) if (told[i] instanceof Vertex) writeIfShort(json, <Vertex>told[i]);
    json.endArray().key("statuses").beginArray();
    for (let i = 0; i < told.length; i++)
      if (told[i] instanceof VertexStatus) writeIfShort(json, <VertexStatus>told[i]);
    json.endArray().key("warnings").beginArray();
    for (let i = 0; i < told.length; i++)
      if (told[i] instanceof VertexWarning) writeIfShort(json, <VertexWarning>told[i]);
    this.document = json.endArray().endObject().finish();
  }

  /** Nobody asks for them any more. */
  drop(): void {
    this.document = new Uint8Array(0);
    for (let i = 0; i < this.logs.length; i++) this.logs[i].drop();
    this.logs.length = 0;
  }

  private count(vertex: Vertex): void {
    const log = vertex.log;
    if (log !== null && !log.isEmpty) this.logs.push(log);
    this.total += 1;
    if (vertex.isOver) this.completed += 1;
    if (vertex.cached) this.cached += 1;
  }
}

/** What there is no room for is left out. */
function writeIfShort(json: JsonWriter, news: ListedNews): void {
  const piece = new JsonWriter();
  news.write(piece);
  if (json.length + piece.length <= MOST_BYTES) json.raw(piece.take());
}
