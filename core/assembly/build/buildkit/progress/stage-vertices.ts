// What one stage of a build tells a client of BuildKit: a vertex for each step that makes files, as the frontend
// `dockerfile.v0` names them. Steps that only change the config are not shown.

import { Image } from "../../../image/image";
import { parseReference } from "../../../image/reference";
import { Instruction } from "../../dockerfile/instruction";
import { Finding } from "../../lint/findings";
import { StepKind } from "../../evaluation/step";
import { BuildProgress } from "../../run/build-progress";
import { StageOutput } from "../../run/output/stage-output";
import { Stage } from "../../stages/stage";
import { Audience } from "./audience";
import { VertexCount } from "./vertices";
import { VertexLine } from "./vertex-line";

/** Instructions that make a vertex. */
const SHOWN: string[] = ["RUN", "COPY", "ADD", "WORKDIR"];
const EQUAL = "waiting for the same step, which is under way";
const EQUAL_PULL = "waiting for the same image, which is being pulled";

/** What the stages of a build share. */
export interface StagesTeller {
  /** There is more than one stage, so each has a name. */
  areSeveral(): bool;
  /** Whether it was told of this image; it is from now on. */
  knows(image: string): bool;
  found(findings: Finding[], name: string, dockerfile: string): void;
}

export class StageVertices extends VertexLine {
  /** The instruction that is carried out; null if it is none of the Dockerfile's. */
  instruction: Instruction | null = null;
  /** Of the newest RUN. */
  command: string = "";
  /** The vertex before. */
  private before: string = "";
  /** How many vertices have begun. */
  private steps: i32 = 0;

  constructor(
    output: StageOutput,
    count: VertexCount,
    audience: Audience,
    private readonly build: StagesTeller,
  ) {
    super(output, count, audience);
    // Clients bring the vertices into order themselves.
    output.takeTurn();
  }

  ofStage(_output: StageOutput): BuildProgress {
    return this;
  }

  found(findings: Finding[], name: string, dockerfile: string): void {
    this.instruction = null;
    this.build.found(findings, name, dockerfile);
  }

  entered(stage: Stage): void {
    this.instruction = stage.from;
  }

  wanted(stage: Stage, image: string): void {
    const name = canonicalName(image);
    this.end("");
    // Several stages may begin with it.
    if (!this.build.knows(name)) this.start(`[${contextOr(stage, "internal")}] load metadata for ${name}`, "");
  }

  based(stage: Stage, _image: Image | null): void {
    this.end("");
    this.before = "";
    this.steps = 0;
    this.instruction = stage.from;
    if (stage.image.length == 0) return;
    const name = canonicalName(stage.image);
    this.next(this.named(stage, stage.context.length > 0 ? name : `FROM ${name}`));
    this.end("");
  }

  begun(stage: Stage, instruction: Instruction | null, kind: StepKind): void {
    this.end("");
    this.instruction = instruction;
    if (instruction !== null && kind != StepKind.Config) this.next(this.named(stage, instruction.original));
  }

  waits(): void {
    if (this.current !== null) this.moves(EQUAL);
  }

  /** A stage whose image was told of already has no step for it. */
  waitsForImage(): void {
    if (this.current !== null) this.moves(EQUAL_PULL);
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

  private next(name: string): void {
    this.before = this.start(name, this.before).digest;
  }

  /** `[base 2/3] COPY a b`; the number counts what makes files, and the image that the stage begins with. */
  private named(stage: Stage, what: string): string {
    this.steps += 1;
    if (stage.context.length > 0) return `[${contextOr(stage, "")}] ${what}`;
    const total = countIn(stage);
    const number = max(this.steps, 1);
    const name = this.build.areSeveral() ? stageName(stage) : "";
    return `[${name}${number.toString()}/${max(total, number).toString()}] ${what}`;
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

export function canonicalName(image: string): string {
  const reference = parseReference(image);
  return reference === null ? image : reference.withDefaultTag().canonical;
}
