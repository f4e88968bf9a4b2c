// The steps of a build as the client of `POST /build` with `version=2` sees them (surface §2.22): objects with a
// `StatusResponse` in base64.

import { LogSource } from "../../../../../build/bindings/types";
import { ProgressStream, RoomReader } from "../../../image/progress-stream";
import { JsonWriter } from "../../../json/writer";
import { encodeBase64 } from "../../../text/base64";
import { Audience } from "./audience";
import { ListedNews, News } from "./news";

const TRACE = "moby.buildkit.trace";

export class TraceStream extends Audience {
  /** Each piece once, in the order of its first time. */
  private readonly history: Set<News> = new Set<News>();

  constructor(
    private readonly stream: ProgressStream,
    /** The client asked for the result only. */
    private readonly quiet: bool,
  ) {
    super();
  }

  get told(): News[] {
    return this.history.values();
  }

  get isCrowded(): bool {
    return this.stream.isCrowded;
  }

  whenRoom(reader: RoomReader): void {
    this.stream.whenRoom(reader);
  }

  tell(news: ListedNews): void {
    this.history.add(news);
    if (this.quiet) return;
    const json = new JsonWriter(true).beginObject();
    json.stringField("id", TRACE).stringField("aux", encodeBase64(news.status().take()));
    this.stream.send(news.key, json.endObject().line("\r\n").finish());
  }

  /** The host gives it the same form. */
  insert(source: LogSource): void {
    if (this.quiet) return;
    source.objects!.progress = true;
    this.stream.beside(source);
  }

  endLog(container: string): void {
    if (!this.quiet) this.stream.drain(container);
  }
}
