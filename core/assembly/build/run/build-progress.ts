// What a build tells its client while it works. Steps say what happens to them; each kind of client has its own form:
// the stream of Docker's classic builder is one.

import { LogSource } from "../../../../build/bindings/types";
import { Container } from "../../container/container";
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

  /** What one stage tells, whose lines `output` brings into order if it has to. */
  abstract ofStage(output: StageOutput): BuildProgress;

  /** From now on, the writer is told if the client disconnects. */
  begin(_writer: StreamWriter): void {}

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
  announce(_number: i32, _total: i32, _original: string): void {}

  /** A registry is asked whether it has an image that is a cache. */
  importsCache(_name: string): void {}

  /** `why`: it is none; empty if it is one. */
  importedCache(_why: string): void {}

  /** The client names a cache that is none of an image. */
  lacksCache(_type: string): void {}

  /** A registry wants to be asked later. The stream of the classic builder has its own line for that. */
  pauses(): void {}

  /** The stage begins: what is wrong from now on is in its FROM. */
  entered(_stage: Stage): void {}

  /** The stage needs an image of this name. */
  wanted(_stage: Stage, _image: string): void {}

  /** The stage begins with this image; null for none. */
  based(_stage: Stage, _image: Image | null): void {}

  /** The first steps of the stage are so many triggers of its image. */
  triggered(_count: i32): void {}

  /** What has been announced is evaluated, and is done now. `instruction`: null for a label that the client gives. */
  begun(_stage: Stage, _instruction: Instruction | null, _kind: StepKind): void {}

  /** The step was done elsewhere, and its layers are fetched. See `LayerListener`. */
  layerMoved(_what: string, _id: string, _current: u64, _total: u64): void {}

  /** The client sends the files of its directory with this name. */
  transfers(_directory: string): void {}

  /** How many bytes of them it has sent. */
  moved(_bytes: u64): void {}

  /** The same step is under way already, here or in another build. */
  waits(): void {}

  /** Another stage, or another build, pulls the image that is wanted. */
  waitsForImage(): void {}

  /** That is over. */
  waited(): void {}

  /** The step was done before. */
  cached(): void {}

  /** `image`: the one that the step has made. */
  kept(_image: Image): void {}

  /** A container runs the command of the step. */
  running(_container: string, _command: string): void {}

  /** A remark on the step, with its newline. */
  note(_text: string): void {}

  /** A remark that has to be noticed; empty for none. */
  warn(_text: string): void {}

  /** See `ProgressStream`. */
  abstract amount(status: string, id: string, key: string, current: u64, total: u64): void;

  /** What the command of the step writes. */
  insert(_log: LogSource): void {}

  /** The command of the step has ended, or is about to be killed: its container has what it wrote. */
  ran(_container: string): void {}

  removed(_container: string): void {}

  lost(): void {}

  takesOver(_container: Container): bool {
    return false;
  }

  /** The image that a stage has made. */
  made(_image: Image): void {}

  /** The image of the build. */
  built(_image: Image): void {}

  /** It has this name now. */
  tagged(_name: string): void {}

  /** The build was given up. */
  cancelled(): void {}

  /** The end of a successful build. */
  conclude(_image: Image): void {}

  /** What is wrong is in these lines of the Dockerfile; 0 if it is in none. `refuse` follows. */
  misread(_line: i32, _endLine: i32): void {}

  /** The build did not begin. */
  refuse(_refusal: Refusal): void {}

  /** The build fails in the stage that tells this one what it does: no stage does anything more, and `fail` follows. */
  failsIn(_stage: BuildProgress): void {}

  /** Of a build that fails: tells what was only held for this. */
  tellHeld(): void {}

  /** The build has failed. `code`: exit code of the program that did; 0 if none did. */
  fail(_message: string, _code: i32): void {}
}
