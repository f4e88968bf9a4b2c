// The `.dockerignore` of a context in the client's session. It is asked for while the Dockerfile comes, as older versions of
// BuildKit do (moby/buildkit, frontend/dockerfile/builder/build.go), though it is not needed if the Dockerfile has one of its
// own. Newer ones ask for it later.

import {
  ContentCommandExtract,
  ContentCommandReadFile,
  EntriesSourceSession,
  Extract,
  Failure,
  FailureImagined,
  Outcome,
  OutcomeBytes,
  Progress,
  ReadFile,
  SessionFiles as WantedFiles,
} from "../../../../../build/bindings/types";
import { abandon, askContent } from "../../../ask";
import { lacksPath } from "../../../failure/missing";
import { failureText } from "../../../failure/text";
import { Ignored } from "../../../ignored";
import { tarLimits } from "../../../image/limits";
import { Task } from "../../../task";
import { decodeUtf8 } from "../../../text/utf8";
import { MAX_DOCKERFILE } from "../../dockerfile/dockerfile";
import { IgnoreFile, parseIgnoreFile } from "../../ignore/ignore-file";
import { NOT_DRY } from "../../run/not-dry";
import { Place } from "../../run/place";
import { AsideVertex } from "../progress/aside-vertex";
import { VertexProgress } from "../progress/vertex-progress";
import { Session } from "./sessions";

export const IGNORE_FILE = ".dockerignore";

enum Step {
  Place,
  Fetch,
  Read,
}

/** Waits for the file. */
export interface IgnoresClient {
  ignoresCame(file: IgnoreFile): void;
  ignoresMissing(why: string): void;
}

export class ContextIgnores extends Task {
  private readonly place: Place = new Place(null);
  private op: u64 = 0;
  private vertex: AsideVertex | null = null;
  /** It is known, or cannot be had. */
  private settled: bool = false;
  private cancelled: bool = false;
  /** Null until it is known; empty if the context has none. */
  private file: IgnoreFile | null = null;
  /** Why it cannot be had; empty for no reason. */
  private why: string = "";
  private client: IgnoresClient | null = null;

  constructor(
    private readonly session: Session,
    private readonly directory: string,
    private readonly progress: VertexProgress,
  ) {
    super();
  }

  begin(): void {
    this.place.mount(this, Step.Place);
  }

  /** Tells the client, perhaps at once. */
  wait(client: IgnoresClient): void {
    this.client = client;
    this.tell();
  }

  /** The Dockerfile has one of its own. */
  skip(): void {
    this.cancel();
    const vertex = this.vertex;
    if (vertex !== null) vertex.end("");
  }

  cancel(): void {
    this.cancelled = true;
    const op = this.op;
    this.op = 0;
    if (op != 0) abandon(new Ignored(), 0, op);
    this.place.drop();
  }

  progressed(_step: i32, progress: Progress): void {
    const vertex = this.vertex;
    if (vertex !== null && !this.cancelled) vertex.moved(progress.current);
  }

  ended(step: i32, outcome: Outcome | null, failure: Failure | null): void {
    this.op = 0;
    if (this.cancelled) return;
    if (failure !== null && failure instanceof FailureImagined) return this.settle(NOT_DRY);
    switch (step) {
      case Step.Place:
        if (failure !== null) return this.settle(failureText(failure));
        return this.fetch();
      case Step.Fetch:
        if (failure !== null) return this.settle(`failed to read ${IGNORE_FILE}: ${failureText(failure)}`);
        return this.read();
      default:
        if (failure !== null && !lacksPath(failure)) return this.settle(failureText(failure));
        return this.take(failure !== null ? "" : decodeUtf8((<OutcomeBytes>outcome!).value));
    }
  }

  private fetch(): void {
    this.vertex = this.progress.aside(`[internal] load ${IGNORE_FILE}`, "context");
    const files = new WantedFiles(this.session.request, this.directory, [], [], [IGNORE_FILE], null);
    const extract = new Extract(this.place.at("/"), new EntriesSourceSession(files), false, null, tarLimits(), true);
    this.op = askContent(this, Step.Fetch, new ContentCommandExtract(extract));
  }

  private read(): void {
    const file = new ReadFile(this.place.at(IGNORE_FILE), MAX_DOCKERFILE, null);
    this.op = askContent(this, Step.Read, new ContentCommandReadFile(file));
  }

  private take(text: string): void {
    const file = parseIgnoreFile(text, IGNORE_FILE);
    this.file = file;
    this.settle(file.problem);
  }

  private settle(why: string): void {
    this.why = why;
    this.settled = true;
    const vertex = this.vertex;
    if (vertex !== null) vertex.end(why);
    this.tell();
  }

  private tell(): void {
    const client = this.client;
    if (client === null || !this.settled) return;
    if (this.why.length > 0) client.ignoresMissing(this.why);
    else client.ignoresCame(this.file!);
  }
}
