// The steps of a build as BuildKit's clients see them: vertices of a graph, with the times at which each began and ended
// (moby/buildkit, control.proto).

import { JsonWriter } from "../../../json/writer";
import { Finding } from "../../lint/findings";
import { encodeBase64 } from "../../../text/base64";
import { encodeUtf8 } from "../../../text/utf8";
import { engine } from "../../../state";
import { sha256HexOfText } from "../../../text/sha256";
import { formatTime } from "../../../text/time";
import { StepLog } from "../history/step-logs";
import { ListedNews } from "./news";
import { ProtoWriter } from "./proto-writer";

const LANGUAGE = "Dockerfile";

export class Vertex extends ListedNews {
  completed: i64 = 0;
  cached: bool = false;
  error: string = "";
  /** What its command has written, if that is kept. */
  log: StepLog | null = null;

  constructor(
    readonly digest: string,
    /** What is shown: `[2/3] RUN make`. */
    readonly name: string,
    /** What it needs, by digest. */
    private readonly inputs: string[],
    private readonly started: i64,
  ) {
    super("vertexes", 1);
  }

  get isOver(): bool {
    return this.completed != 0;
  }

  end(error: string): void {
    this.error = error;
    this.completed = engine.now.wall;
  }

  /** What its command has written, if that can be read by now and is not nothing. */
  get written(): StepLog | null {
    const log = this.log;
    return log !== null && log.isReady && !log.isEmpty ? log : null;
  }

  /** The same before its end. */
  get begun(): Vertex {
    return new Vertex(this.digest, this.name, this.inputs, this.started);
  }

  write(json: JsonWriter): void {
    json.beginObject();
    json.stringField("digest", this.digest);
    if (this.inputs.length > 0) json.stringArrayField("inputs", this.inputs);
    json.stringField("name", this.name);
    if (this.cached) json.boolField("cached", true);
    json.stringField("started", formatTime(this.started));
    if (this.completed != 0) json.stringField("completed", formatTime(this.completed));
    if (this.error.length > 0) json.stringField("error", this.error);
    json.endObject();
  }

  encode(proto: ProtoWriter): void {
    proto.text(1, this.digest);
    for (let i = 0; i < this.inputs.length; i++) proto.text(2, this.inputs[i]);
    proto.text(3, this.name);
    proto.number(4, this.cached ? 1 : 0);
    proto.time(5, this.started);
    proto.time(6, this.completed);
    proto.text(7, this.error);
  }
}

/** Counts the vertices of a build. */
export class VertexCount {
  private number: i32 = 0;

  constructor(private readonly build: string) {}

  /** The next one. It begins now. */
  begin(name: string, inputs: string[]): Vertex {
    const number = this.number++;
    const digest = `sha256:${sha256HexOfText(`${this.build} ${number.toString()} ${name}`)}`;
    return new Vertex(digest, name, inputs, engine.now.wall);
  }
}

/** One thing that a vertex does: `transferring context:`, and how far it is. */
export class VertexStatus extends ListedNews {
  current: u64 = 0;
  total: u64 = 0;
  completed: i64 = 0;
  readonly started: i64 = engine.now.wall;

  constructor(
    readonly vertex: string,
    readonly id: string,
  ) {
    super("statuses", 2);
  }

  get key(): string {
    return `${this.vertex} ${this.id}`;
  }

  get isInterim(): bool {
    return this.completed == 0;
  }

  write(json: JsonWriter): void {
    json.beginObject();
    json.stringField("ID", this.id);
    json.stringField("vertex", this.vertex);
    if (this.current > 0) json.i64Field("current", <i64>this.current);
    if (this.total > 0) json.i64Field("total", <i64>this.total);
    json.stringField("timestamp", formatTime(engine.now.wall));
    json.stringField("started", formatTime(this.started));
    if (this.completed != 0) json.stringField("completed", formatTime(this.completed));
    json.endObject();
  }

  encode(proto: ProtoWriter): void {
    proto.text(1, this.id);
    proto.text(2, this.vertex);
    proto.number(4, this.current);
    proto.number(5, this.total);
    proto.time(6, engine.now.wall);
    proto.time(7, this.started);
    proto.time(8, this.completed);
  }
}

/** Something in the Dockerfile that is surely not meant. */
export class VertexWarning extends ListedNews {
  constructor(
    /** Of the step that has read the Dockerfile. */
    private readonly vertex: string,
    private readonly finding: Finding,
    private readonly name: string,
    /** Empty: its lines are not shown. */
    private readonly dockerfile: string,
  ) {
    super("warnings", 4);
  }

  write(json: JsonWriter): void {
    const finding = this.finding;
    json.beginObject().stringField("vertex", this.vertex).i64Field("level", 1);
    json.stringField("short", inBase64(finding.short));
    json.stringArrayField("detail", [inBase64(finding.rule.description)]).stringField("url", finding.rule.url);
    json.key("info").beginObject().stringField("filename", this.name);
    json.stringField("data", inBase64(this.dockerfile)).stringField("language", LANGUAGE).endObject();
    json.key("ranges").beginArray();
    for (let i = finding.line; i <= finding.endLine; i++) {
      json.beginObject().key("start").beginObject().i64Field("line", i).endObject();
      json.key("end").beginObject().i64Field("line", i).endObject().endObject();
    }
    json.endArray().endObject();
  }

  encode(proto: ProtoWriter): void {
    const finding = this.finding;
    proto.text(1, this.vertex);
    proto.number(2, 1);
    proto.text(3, finding.short);
    proto.text(4, finding.rule.description);
    proto.text(5, finding.rule.url);
    const info = new ProtoWriter();
    info.text(1, this.name);
    info.text(2, this.dockerfile);
    info.text(4, LANGUAGE);
    proto.message(6, info);
    for (let i = finding.line; i <= finding.endLine; i++) proto.message(7, rangeOf(i));
  }
}

function rangeOf(line: i32): ProtoWriter {
  const range = new ProtoWriter();
  for (let end: u64 = 1; end <= 2; end++) {
    const position = new ProtoWriter();
    position.number(1, line);
    range.message(end, position);
  }
  return range;
}

function inBase64(text: string): string {
  return encodeBase64(encodeUtf8(text));
}
