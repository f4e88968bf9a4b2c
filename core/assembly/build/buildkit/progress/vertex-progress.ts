// What a build tells a client of BuildKit: its stages tell what they do (`stage-vertices.ts`), and this one the rest.

import { Image } from "../../../image/image";
import { ProgressStream } from "../../../image/progress-stream";
import { Refusal } from "../../../refusal";
import { Instruction } from "../../dockerfile/instruction";
import { Finding } from "../../lint/findings";
import { Answer } from "../../questions/answer";
import { BuildProgress } from "../../run/build-progress";
import { StageOutput } from "../../run/output/stage-output";
import { withoutUsers } from "../../run/web/shown";
import { quoteText } from "../../../text/go-quote";
import { unusableSource } from "../options/cache-options";
import { AsideVertex } from "./aside-vertex";
import { Audience } from "./audience";
import { canonicalName, StagesTeller, StageVertices } from "./stage-vertices";
import { VertexLine } from "./vertex-line";
import { VertexCount, VertexWarning } from "./vertices";

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
const DEFINITION = "[internal] load build definition from ";
/** In UTF-16 units: of all warnings of a build together, for each has the Dockerfile with it. */
const MOST_SOURCE: i32 = 128 * 1024;

export class VertexProgress extends VertexLine implements StagesTeller {
  private readonly stages: StageVertices[] = [];
  private readonly asides: AsideVertex[] = [];
  /** In which the build fails; null if none does. */
  private failing: StageVertices | null = null;
  /** Images of which this was told. */
  private readonly known: Set<string> = new Set<string>();
  private several: bool = false;
  /** The vertex that has read the Dockerfile. */
  private definition: string = "";
  /** What the warnings that come may still have of the Dockerfile. */
  private sourceRoom: i32 = MOST_SOURCE;
  /** First and last line of the Dockerfile in which something is wrong; 0 for none. */
  private wrongLine: i32 = 0;
  private wrongEnd: i32 = 0;

  constructor(
    /** For pulls; nobody reads it. */
    progress: ProgressStream,
    build: string,
    audience: Audience,
    private readonly client: BuildClient,
  ) {
    super(progress, new VertexCount(build), audience);
  }

  ofStage(output: StageOutput): BuildProgress {
    const stage = new StageVertices(output, this.count, this.audience, this);
    this.stages.push(stage);
    return stage;
  }

  /** Something that no instruction stands for: `[internal] load build context`. `transfer`: what is moved, or empty. */
  internal(name: string, transfer: string): void {
    this.end("");
    const vertex = this.start(name, "");
    if (name.startsWith(DEFINITION)) this.definition = vertex.digest;
    if (transfer.length > 0) this.moves(`transferring ${transfer}:`);
  }

  /** The same beside others: it is over when its own `end` says so. */
  aside(name: string, transfer: string): AsideVertex {
    const vertex = new AsideVertex(this.progress.heardBy(this), this.count, this.audience);
    this.asides.push(vertex);
    vertex.open(name, transfer);
    return vertex;
  }

  /** What is under way may be the context, which others wait for. */
  found(findings: Finding[], name: string, dockerfile: string): void {
    if (findings.length == 0) return;
    if (this.definition.length == 0) {
      this.internal(`${DEFINITION}${name}`, "");
      this.end("");
    }
    const length = dockerfile.length * findings.length;
    const isShown = length <= this.sourceRoom;
    if (isShown) this.sourceRoom -= length;
    // It goes into the record of the build.
    const source = isShown ? withoutUsers(dockerfile) : "";
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

  areSeveral(): bool {
    return this.several;
  }

  knows(image: string): bool {
    if (this.known.has(image)) return true;
    this.known.add(image);
    return false;
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

  lacksCache(type: string): void {
    this.importsCache(type);
    this.end(unusableSource(type));
  }

  /** What the others did is told by now, and is over. */
  failsIn(stage: BuildProgress): void {
    const failing = <StageVertices>stage;
    this.failing = failing;
    this.end(CANCELED);
    this.endStages(failing);
  }

  cancelled(): void {
    this.end(CANCELED);
    this.endStages(null);
  }

  conclude(image: Image): void {
    this.end("");
    this.client.buildDone(image);
  }

  misread(line: i32, endLine: i32): void {
    this.wrongLine = line;
    this.wrongEnd = endLine;
  }

  refuse(refusal: Refusal): void {
    this.failWith(refusal.message);
  }

  fail(message: string, code: i32): void {
    const failing = this.failing;
    if (code == 0 || failing === null) return this.failWith(message);
    const command = quoteText(failing.command);
    this.failWith(`process ${command} did not complete successfully: exit code: ${code.toString()}`);
  }

  private failWith(message: string): void {
    const shown = withoutUsers(message);
    const failing = this.failing;
    this.end(shown);
    if (failing !== null) failing.end(shown);
    this.endStages(failing);
    const instruction: Instruction | null = failing === null ? null : failing.instruction;
    if (instruction === null) this.client.buildFailed(shown, this.wrongLine, this.wrongEnd);
    else this.client.buildFailed(shown, instruction.line, instruction.endLine);
  }

  private endStages(except: StageVertices | null): void {
    for (let i = 0; i < this.asides.length; i++) this.asides[i].end(CANCELED);
    for (let i = 0; i < this.stages.length; i++) if (this.stages[i] !== except) this.stages[i].end(CANCELED);
  }
}
