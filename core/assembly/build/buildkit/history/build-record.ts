// A build as the history has it (moby/buildkit, control.proto, BuildHistoryRecord), and its record.

import { JsonWriter } from "../../../json/writer";
import { FieldReader } from "../../../records/field-reader";
import { FieldWriter } from "../../../records/field-writer";
import { Fields, optionalListOf } from "../../../records/fields";
import { isFullId } from "../../../text/hex";
import { formatTime } from "../../../text/time";
import { Filtered } from "../../field-filter";
import { GitAddress, isGitContext } from "../../run/web/git-address";
import { StepLog, stepLogFields } from "./step-logs";
import { Steps } from "./steps";

const RECORD_BYTES: i32 = 4096;
/** Of all options of a build, of all attributes of its outputs, and of its answer. In UTF-16 units. */
const MOST_TEXT: i32 = 32 * 1024;
const CANCELED = "context canceled";

/** Names and what each stands for. */
export class Texts {
  readonly names: string[] = [];
  readonly values: string[] = [];
  private length: i32 = 0;

  constructor(private readonly most: i32 = MOST_TEXT) {}

  /** What there is no room for is left out. */
  add(name: string, value: string): void {
    const length = name.length + value.length;
    if (length > this.most - this.length) return;
    this.length += length;
    this.names.push(name);
    this.values.push(value);
  }

  /** Empty if there is no such name. */
  of(name: string): string {
    const at = this.names.indexOf(name);
    return at < 0 ? "" : this.values[at];
  }

  clear(): void {
    this.names.length = 0;
    this.values.length = 0;
  }
}

/** What the client wanted of the result. */
export class RecordedOutput {
  readonly attributes: Texts;

  /** `among`: so many outputs of the build share the room for their attributes. */
  constructor(
    readonly type: string,
    among: i32 = 1,
  ) {
    this.attributes = new Texts(MOST_TEXT / among);
  }
}

export class BuildRecord extends Filtered {
  frontend: string = "";
  /** What the client asked of the frontend. */
  readonly options: Texts = new Texts();
  readonly outputs: RecordedOutput[] = [];
  /** What the client was told of the result. */
  readonly answer: Texts = new Texts();
  /** 0 while it is under way. */
  completed: i64 = 0;
  /** Of gRPC; 0 if nothing failed. */
  code: i32 = 0;
  error: string = "";
  readonly steps: Steps = new Steps();
  pinned: bool = false;
  /** How often it has changed since it was complete. */
  generation: i32 = 0;
  /** Not in the record: clients have been told that it is gone. */
  deleted: bool = false;

  constructor(
    readonly id: string,
    /** By it clients name the build. */
    readonly ref: string,
    /** Nanoseconds since 1970. */
    readonly created: i64,
  ) {
    super();
  }

  textOf(field: string): string {
    if (field == "ref") return this.ref;
    if (field == "status") return this.status;
    return field == "repository" ? this.repository : "";
  }

  write(json: JsonWriter): void {
    json.beginObject().stringField("Ref", this.ref);
    if (!this.deleted) this.writeFacts(json);
    json.endObject();
  }

  /** Clients that read slowly may hear of it much later: nobody asks for more than its ref. */
  drop(): void {
    this.deleted = true;
    this.options.clear();
    this.outputs.length = 0;
    this.answer.clear();
    this.steps.drop();
  }

  record(): Uint8Array {
    const fields = new FieldWriter(RECORD_BYTES);
    pastBuildFields(fields, this);
    return fields.take();
  }

  private get status(): string {
    if (this.completed == 0) return "running";
    if (this.code == 0) return "completed";
    return this.error.includes(CANCELED) ? "canceled" : "error";
  }

  private get repository(): string {
    const source = this.options.of("vcs:source");
    if (source.length > 0) return source;
    const context = this.options.of("context");
    return isGitContext(context) ? new GitAddress(context).shown : "";
  }

  private writeFacts(json: JsonWriter): void {
    if (this.frontend.length > 0) json.stringField("Frontend", this.frontend);
    json.key("FrontendAttrs").textMap(this.options.names, this.options.values);
    json.key("Exporters").beginArray();
    for (let i = 0; i < this.outputs.length; i++) writeOutput(json, this.outputs[i]);
    json.endArray().stringField("CreatedAt", formatTime(this.created));
    if (this.completed != 0) this.writeEnd(json);
    json.boolField("pinned", this.pinned).i64Field("Generation", this.generation);
  }

  private writeEnd(json: JsonWriter): void {
    json.stringField("CompletedAt", formatTime(this.completed));
    if (this.code != 0) {
      json.key("error").beginObject().i64Field("code", this.code).stringField("message", this.error).endObject();
    }
    json.key("ExporterResponse").textMap(this.answer.names, this.answer.values);
    json.i64Field("numCachedSteps", this.steps.cached).i64Field("numTotalSteps", this.steps.total);
    json.i64Field("numCompletedSteps", this.steps.completed).i64Field("numWarnings", this.steps.warnings);
  }
}

function writeOutput(json: JsonWriter, output: RecordedOutput): void {
  json.beginObject().stringField("Type", output.type);
  json.key("Attrs").textMap(output.attributes.names, output.attributes.values).endObject();
}

function pastBuildFields(fields: Fields, given: BuildRecord | null): BuildRecord {
  const id = fields.text("id", given === null ? "" : given.id);
  const ref = fields.text("ref", given === null ? "" : given.ref);
  const created = fields.number("created", given === null ? 0 : given.created);
  const build = given === null ? new BuildRecord(id, ref, created) : given;
  build.completed = fields.number("completed", build.completed);
  build.frontend = fields.optionalText("frontend", build.frontend);
  fields.optionalTextMap("frontendAttrs", build.options.names, build.options.values);
  optionalListOf<RecordedOutput>(fields, "outputs", build.outputs, recordedOutputFields);
  fields.optionalTextMap("answer", build.answer.names, build.answer.values);
  build.code = <i32>fields.optionalWithin("code", build.code, 0, 0, i32.MAX_VALUE);
  build.error = fields.optionalText("error", build.error);
  build.steps.total = fields.i32("total", build.steps.total);
  build.steps.completed = fields.i32("done", build.steps.completed);
  build.steps.cached = fields.i32("cached", build.steps.cached);
  build.steps.warnings = <i32>fields.optionalWithin("warnings", build.steps.warnings, 0, 0, i32.MAX_VALUE);
  build.steps.document = fields.optionalDocument("steps", build.steps.document);
  optionalListOf<StepLog>(fields, "logs", build.steps.logs, stepLogFields);
  build.pinned = fields.optionalBool("pinned", build.pinned);
  build.generation = <i32>fields.optionalWithin("generation", build.generation, 0, 0, i32.MAX_VALUE);
  return build;
}

function recordedOutputFields(fields: Fields, given: RecordedOutput | null): RecordedOutput {
  const type = fields.text("type", given === null ? "" : given.type);
  const output = given === null ? new RecordedOutput(type) : given;
  fields.optionalTextMap("attrs", output.attributes.names, output.attributes.values);
  return output;
}

/** Reads the build `id`; sets a problem if the record is invalid. */
export function readBuild(fields: FieldReader, id: string): BuildRecord {
  const build = pastBuildFields(fields, null);
  if (build.id != id) fields.refuse("it is another build's");
  else if (!isFullId(id)) fields.refuse("its id is not valid");
  else if (build.ref.length == 0) fields.refuse("it has no ref");
  else if (build.completed == 0) fields.refuse("it is not over");
  else if (build.steps.logs.some((log) => !isFullId(log.id))) fields.refuse("the id of a log is not valid");
  return build;
}
