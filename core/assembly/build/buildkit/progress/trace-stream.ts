// The steps of a build as the client of `POST /build` with `version=2` sees them (surface §2.22): objects with a
// `StatusResponse` in base64.

import { LogSource } from "../../../../../build/bindings/types";
import { Container } from "../../../container/container";
import { Status } from "../../../container/lifecycle";
import { containerStore } from "../../../container/store";
import { LogKeeper, ProgressStream, RoomReader } from "../../../image/progress-stream";
import { JsonWriter } from "../../../json/writer";
import { encodeBase64 } from "../../../text/base64";
import { removeStepContainer } from "../../run/output/leaving";
import { Audience } from "./audience";
import { ListedNews, News } from "./news";

const TRACE = "moby.buildkit.trace";

export class TraceStream extends Audience implements LogKeeper {
  /** Each piece once, in the order of its first time. */
  private readonly history: Set<News> = new Set<News>();
  /** Containers of steps that are over, whose logs still wait for room. */
  private readonly leaving: Container[] = [];

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
    this.stream.beside(source, this);
  }

  takesOver(container: Container): bool {
    if (!this.stream.holdsLog(container.id)) return false;
    this.leaving.push(container);
    return true;
  }

  hasLog(id: string): bool {
    const container = containerStore.find(id);
    return container !== null && container.status != Status.Removing && container.status != Status.Dead;
  }

  logSettled(id: string): void {
    for (let i = 0; i < this.leaving.length; i++) {
      if (this.leaving[i].id == id) return removeStepContainer(this.leaving.splice(i, 1)[0]);
    }
  }

  endLog(container: string): void {
    if (!this.quiet) this.stream.drain(container);
  }
}
