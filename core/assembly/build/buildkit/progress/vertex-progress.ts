// What a build tells a client of BuildKit: a vertex for each step that makes files, as the frontend `dockerfile.v0` names
// them. Steps that only change the config are not shown.

import { LogObjects, LogSource } from "../../../../../build/bindings/types";
import { Image } from "../../../image/image";
import { LayerListener, ProgressStream, RoomReader, StreamWriter } from "../../../image/progress-stream";
import { parseReference } from "../../../image/reference";
import { Refusal } from "../../../refusal";
import { Instruction } from "../../dockerfile/instruction";
import { Finding } from "../../lint/findings";
import { Answer } from "../../questions/answer";
import { StepKind } from "../../evaluation/step";
import { BuildProgress } from "../../run/build-progress";
import { withoutUsers } from "../../run/web/shown";
import { Stage } from "../../stages/stage";
import { engine } from "../../../state";
import { quoteText } from "../../../text/go-quote";
import { unusableSource } from "../options/cache-options";
import { Vertex, vertexOf, VertexStatus, VertexWarning } from "./vertices";
import { Audience } from "./audience";

/** Waits for a build. */
export interface BuildClient {
  buildDone(image: Image): void;
  /** It only asked about the Dockerfile. */
  buildAnswered(answer: Answer): void;
  /** `line`, `endLine`: of the instruction that failed; 0 if none did. */
  buildFailed(message: string, line: i32, endLine: i32): void;
}

/** As Go's contexts say it. */
export const CANCELED = "context canceled";
/** Instructions that make a vertex. */
const SHOWN: string[] = ["RUN", "COPY", "ADD", "WORKDIR"];
const EQUAL = "waiting for the same step, which is under way";
const EXTRACTING = "Extracting";
const PAUSE = "waiting, because the registry asks for a pause";
const DEFINITION = "[internal] load build definition from ";
/** In UTF-16 units: of all warnings of a build together, for each has the Dockerfile with it. */
const MOST_SOURCE: i32 = 128 * 1024;

export class VertexProgress extends BuildProgress implements LayerListener {
  /** What is being done; null between steps. */
  private current: Vertex | null = null;
  private status: VertexStatus | null = null;
  /** Of the layers of an image that is being pulled, by what is done with them. */
  private readonly layers: Map<string, VertexStatus> = new Map<string, VertexStatus>();
  private count: i32 = 0;
  /** The vertex before in the same stage. */
  private before: string = "";
  /** Of the stage: how many of its vertices have begun. */
  private steps: i32 = 0;
  private instruction: Instruction | null = null;
  private command: string = "";
  /** Images of which this was told. */
  private readonly known: Set<string> = new Set<string>();
  /** There is more than one stage, so each has a name. */
  private several: bool = false;
  /** The vertex that has read the Dockerfile. */
  private definition: string = "";

  constructor(
    /** For pulls; nobody reads it. */
    progress: ProgressStream,
    private readonly build: string,
    private readonly audience: Audience,
    private readonly client: BuildClient,
  ) {
    super(progress);
    progress.quiet = true;
    progress.listener = this;
  }

  /** Something that no instruction stands for: `[internal] load build context`. `transfer`: what is moved, or empty. */
  internal(name: string, transfer: string): void {
    this.end("");
    this.start(name, "");
    if (name.startsWith(DEFINITION)) this.definition = this.current!.digest;
    if (transfer.length > 0) this.moves(`transferring ${transfer}:`);
  }

  /** A part of what was begun last that takes time. The one before it is over. */
  moves(what: string): void {
    this.endStatus();
    const status = new VertexStatus(this.current!.digest, what);
    this.status = status;
    this.audience.tell(status);
  }

  /** How many bytes of that have been moved. */
  moved(bytes: u64): void {
    this.amount("", "", "", bytes, 0);
  }

  layerMoved(what: string, id: string, current: u64, total: u64): void {
    const vertex = this.current;
    if (vertex === null) return;
    const name = `${what.toLowerCase()} ${id}`;
    if (!this.layers.has(name)) this.layers.set(name, new VertexStatus(vertex.digest, name));
    const status = this.layers.get(name);
    status.current = current;
    status.total = total;
    if (what == EXTRACTING) this.layerCame(`downloading ${id}`);
    if (what == EXTRACTING && current == total) this.layerDone(name);
    else this.audience.tell(status);
  }

  /** A part of what was begun last that is done already. */
  did(what: string): void {
    const status = new VertexStatus(this.current!.digest, what);
    status.completed = engine.now.wall;
    this.audience.tell(status);
  }

  /** What was begun last is over. */
  end(error: string): void {
    this.endStatus();
    const vertex = this.current;
    this.current = null;
    if (vertex === null) return;
    const layers = this.layers.keys();
    for (let i = 0; i < layers.length; i++) this.layerDone(layers[i]);
    vertex.end(error);
    this.audience.tell(vertex);
  }

  begin(_writer: StreamWriter): void {}

  get isCrowded(): bool {
    return this.audience.isCrowded;
  }

  whenRoom(reader: RoomReader): void {
    this.audience.whenRoom(reader);
  }

  get finished(): bool {
    return false;
  }

  found(findings: Finding[], name: string, dockerfile: string): void {
    if (findings.length == 0) return;
    if (this.definition.length == 0) this.internal(`${DEFINITION}${name}`, "");
    this.end("");
    this.instruction = null;
    const isLong = dockerfile.length * findings.length > MOST_SOURCE;
    // It goes into the record of the build.
    const source = isLong ? "" : withoutUsers(dockerfile);
    for (let i = 0; i < findings.length; i++) {
      this.audience.tell(new VertexWarning(this.definition, findings[i], name, source));
    }
  }

  answered(answer: Answer): void {
    this.end("");
    this.client.buildAnswered(answer);
  }

  planned(stages: i32): void {
    this.several = stages > 1;
  }

  tookFrontend(name: string): void {
    this.internal(`[internal] the engine itself reads the Dockerfile, in place of ${canonicalName(name)}`, "");
    this.end("");
  }

  importsCache(name: string): void {
    this.internal(`importing cache manifest from ${name}`, "");
  }

  /** Without it the build goes on: only its vertex has failed. */
  importedCache(why: string): void {
    this.end(withoutUsers(why));
  }

  pauses(): void {
    const status = this.status;
    if (this.current !== null && (status === null || status.id != PAUSE)) this.moves(PAUSE);
  }

  lacksCache(type: string): void {
    this.importsCache(type);
    this.end(unusableSource(type));
  }

  announce(_number: i32, _total: i32, _original: string): void {}

  wanted(stage: Stage, image: string): void {
    this.instruction = stage.from;
    const name = canonicalName(image);
    // Several stages may begin with it.
    if (this.known.has(name)) return this.end("");
    this.known.add(name);
    this.internal(`[${contextOr(stage, "internal")}] load metadata for ${name}`, "");
  }

  based(stage: Stage, _image: Image | null): void {
    this.end("");
    this.before = "";
    this.steps = 0;
    this.instruction = stage.from;
    if (stage.image.length == 0) return;
    const name = canonicalName(stage.image);
    this.start(this.named(stage, stage.context.length > 0 ? name : `FROM ${name}`), "");
    this.end("");
  }

  triggered(_count: i32): void {}

  begun(stage: Stage, instruction: Instruction | null, kind: StepKind): void {
    this.end("");
    this.instruction = instruction;
    if (instruction === null || kind == StepKind.Config) return;
    this.start(this.named(stage, instruction.original), this.before);
  }

  waits(): void {
    if (this.current !== null) this.moves(EQUAL);
  }

  waited(): void {
    this.endStatus();
  }

  cached(): void {
    const vertex = this.current;
    if (vertex === null) return;
    vertex.cached = true;
    this.end("");
  }

  kept(_image: Image): void {
    this.end("");
  }

  running(_container: string, command: string): void {
    this.command = command;
  }

  ran(container: string): void {
    const vertex = this.current;
    const logs = this.audience.logs;
    if (vertex !== null && logs !== null) vertex.log = logs.keep(container, vertex.digest);
  }

  removed(_container: string): void {}

  lost(): void {}

  note(_text: string): void {}

  warn(_text: string): void {}

  amount(_status: string, _id: string, _key: string, current: u64, total: u64): void {
    const status = this.status;
    if (status === null) return;
    status.current = current;
    status.total = total;
    this.audience.tell(status);
  }

  insert(log: LogSource): void {
    const vertex = this.current;
    if (vertex === null) return;
    log.objects = new LogObjects("", false, false, vertex.digest);
    this.audience.insert(log);
  }

  made(_image: Image): void {}

  cancelled(): void {
    this.end(CANCELED);
  }

  built(_image: Image): void {}

  tagged(_name: string): void {}

  conclude(image: Image): void {
    this.end("");
    this.client.buildDone(image);
  }

  refuse(refusal: Refusal): void {
    this.failWith(refusal.message);
  }

  fail(message: string, code: i32): void {
    if (code == 0) return this.failWith(message);
    this.failWith(`process ${quoteText(this.command)} did not complete successfully: exit code: ${code.toString()}`);
  }

  private failWith(message: string): void {
    const shown = withoutUsers(message);
    this.end(shown);
    const instruction = this.instruction;
    if (instruction === null) this.client.buildFailed(shown, 0, 0);
    else this.client.buildFailed(shown, instruction.line, instruction.endLine);
  }

  private endStatus(): void {
    const status = this.status;
    this.status = null;
    if (status === null) return;
    status.completed = engine.now.wall;
    this.audience.tell(status);
  }

  /** All of it, though not every byte was told. */
  private layerCame(name: string): void {
    if (!this.layers.has(name)) return;
    const status = this.layers.get(name);
    status.current = status.total;
    this.layerDone(name);
  }

  private layerDone(name: string): void {
    if (!this.layers.has(name)) return;
    const status = this.layers.get(name);
    this.layers.delete(name);
    status.completed = engine.now.wall;
    this.audience.tell(status);
  }

  private start(name: string, input: string): void {
    const inputs = input.length > 0 ? [input] : [];
    const vertex = vertexOf(this.build, this.count++, withoutUsers(name), inputs);
    this.current = vertex;
    this.before = vertex.digest;
    this.audience.tell(vertex);
  }

  /** `[base 2/3] COPY a b`; the number counts what makes files, and the image that the stage begins with. */
  private named(stage: Stage, what: string): string {
    this.steps += 1;
    if (stage.context.length > 0) return `[${contextOr(stage, "")}] ${what}`;
    const total = countIn(stage);
    const number = max(this.steps, 1);
    return `[${this.several ? stageName(stage) : ""}${number.toString()}/${max(total, number).toString()}] ${what}`;
  }
}

function countIn(stage: Stage): i32 {
  let count = stage.image.length > 0 ? 1 : 0;
  for (let i = 0; i < stage.instructions.length; i++) if (SHOWN.includes(stage.instructions[i].keyword)) count += 1;
  return count;
}

/** `context NAME` for a named one. */
function contextOr(stage: Stage, other: string): string {
  return stage.context.length > 0 ? `context ${stage.context}` : other;
}

function stageName(stage: Stage): string {
  return stage.name.length > 0 ? `${stage.name} ` : `stage-${stage.number.toString()} `;
}

function canonicalName(image: string): string {
  const reference = parseReference(image);
  return reference === null ? image : reference.withDefaultTag().canonical;
}
