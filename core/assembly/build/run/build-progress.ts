// What a build tells its client while it works. Steps say what happens to them; each kind of client has its own form:
// the stream of Docker's classic builder is one.

import { LogSource } from "../../../../build/bindings/types";
import { Image } from "../../image/image";
import { ProgressStream, RoomReader, StreamWriter } from "../../image/progress-stream";
import { Refusal } from "../../refusal";
import { Instruction } from "../dockerfile/instruction";
import { Finding } from "../lint/findings";
import { Answer } from "../questions/answer";
import { StepKind } from "../evaluation/step";
import { Stage } from "../stages/stage";
import { FateTeller, StageOutput } from "./output/stage-output";

export abstract class BuildProgress implements FateTeller {
  constructor(
    /** For pulls. */
    readonly progress: ProgressStream,
  ) {}

  /**
   * What one stage tells, whose lines `output` brings into order. Null: this one cannot tell stages apart, so they are
   * built one after the other, and all tell it to this one.
   */
  ofStage(_output: StageOutput): BuildProgress | null {
    return null;
  }

  /** From now on, the writer is told if the client disconnects. */
  abstract begin(writer: StreamWriter): void;

  /** The client reads too slowly: the next step should wait. */
  get isCrowded(): bool {
    return this.progress.isCrowded;
  }

  /** Tells the reader once, as soon as the stream is not crowded any more. */
  whenRoom(reader: RoomReader): void {
    this.progress.whenRoom(reader);
  }

  get finished(): bool {
    return this.progress.finished;
  }

  /** What is surely not meant in the Dockerfile, for clients of BuildKit. */
  found(_findings: Finding[], _name: string, _dockerfile: string): void {}

  /** The end of a build that only asked. */
  answered(_answer: Answer): void {}

  /** The core reads the Dockerfile in place of this image. */
  tookFrontend(_name: string): void {}

  /** The Dockerfile has so many stages. */
  planned(_stages: i32): void {}

  /** An instruction as it is written: number `number` of `total`. */
  abstract announce(number: i32, total: i32, original: string): void;

  /** A registry is asked whether it has an image that is a cache. */
  importsCache(_name: string): void {}

  /** `why`: it is none; empty if it is one. */
  importedCache(_why: string): void {}

  /** The client names a cache that is none of an image. */
  lacksCache(_type: string): void {}

  /** A registry wants to be asked later. The stream of the classic builder has its own line for that. */
  pauses(): void {}

  /** The stage needs an image of this name. */
  wanted(_stage: Stage, _image: string): void {}

  /** The stage begins with this image; null for none. */
  abstract based(stage: Stage, image: Image | null): void;

  /** The first steps of the stage are so many triggers of its image. */
  abstract triggered(count: i32): void;

  /** What has been announced is evaluated, and is done now. `instruction`: null for a label that the client gives. */
  begun(_stage: Stage, _instruction: Instruction | null, _kind: StepKind): void {}

  /** The same step is under way already, here or in another build. */
  waits(): void {}

  /** That one is over. */
  waited(): void {}

  /** The step was done before. */
  abstract cached(): void;

  /** `image`: the one that the step has made. */
  abstract kept(image: Image): void;

  /** A container runs the command of the step. */
  abstract running(container: string, command: string): void;

  /** A remark on the step, with its newline. */
  abstract note(text: string): void;

  /** A remark that has to be noticed; empty for none. */
  abstract warn(text: string): void;

  /** See `ProgressStream`. */
  abstract amount(status: string, id: string, key: string, current: u64, total: u64): void;

  /** What the command of the step writes. */
  abstract insert(log: LogSource): void;

  /** The command of the step has ended, or is about to be killed: its container has what it wrote. */
  ran(_container: string): void {}

  abstract removed(container: string): void;

  abstract lost(): void;

  /** The image that a stage has made. */
  abstract made(image: Image): void;

  /** The image of the build. */
  abstract built(image: Image): void;

  /** It has this name now. */
  abstract tagged(name: string): void;

  /** The build was given up. */
  cancelled(): void {}

  /** The end of a successful build. */
  abstract conclude(image: Image): void;

  /** The build did not begin. */
  abstract refuse(refusal: Refusal): void;

  /** Of a build that fails: tells what was only held for this. */
  tellHeld(): void {}

  /** The build has failed. `code`: exit code of the program that did; 0 if none did. */
  abstract fail(message: string, code: i32): void;
}
