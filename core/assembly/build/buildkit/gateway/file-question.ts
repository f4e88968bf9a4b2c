// A question about a file of a result. Paths begin at the root of the result; no link leads out of it.

import { ContentCommand, Failure, FailureCall, FailureTag, FileAt, Outcome } from "../../../../../build/bindings/types";
import { abandon, askContent } from "../../../ask";
import { Call } from "../../../call";
import { errnoText } from "../../../failure/call";
import { failureText } from "../../../failure/text";
import { Ignored } from "../../../ignored";
import { Json } from "../../../json/json";
import { Place } from "../../run/place";
import { CallError, Code, unknownError } from "../grpc-reply";
import { Question } from "./question";

/**
 * What a client takes at most, in bytes: a message of BuildKit's may have 16 MiB, and the rest of it takes a few bytes.
 */
export const LARGEST: i32 = (16 << 20) - 64;

enum Step {
  Mount,
  Look,
}

export abstract class FileQuestion extends Question {
  /** Id of the result. */
  readonly ref: string;
  private place: Place | null = null;
  private op: u64 = 0;

  constructor(
    call: Call,
    message: Json,
    /** As the client gave it. */
    protected readonly path: string,
    /** The call of the kernel's that errors name, as in BuildKit. */
    private readonly verb: string,
  ) {
    super(call);
    this.ref = message.stringOf("Ref");
  }

  /** Before it begins: where the result's files are. */
  lookIn(place: Place): void {
    this.place = place;
  }

  protected ask(): void {
    // The kernel would end the path there.
    if (this.path.includes("\0")) return this.fail(unknownError(this.about(errnoText("EINVAL"))));
    const place = this.place!;
    if (place.isMade) this.look();
    else place.mount(this, Step.Mount);
  }

  ended(step: i32, outcome: Outcome | null, failure: Failure | null): void {
    this.op = 0;
    // The next question tries again.
    if (failure !== null && step == Step.Mount) this.place!.drop();
    if (this.isOver) return;
    if (failure !== null) return this.missed(step, failure);
    if (step == Step.Mount) this.look();
    else this.told(outcome!);
  }

  protected giveUp(): void {
    const op = this.op;
    this.op = 0;
    if (op != 0) abandon(new Ignored(), 0, op);
  }

  /** The next command. */
  protected abstract command(at: FileAt): ContentCommand;

  protected abstract told(outcome: Outcome): void;

  protected look(): void {
    const at = this.place!.at(`/${withoutSlashes(this.path)}`);
    this.op = askContent(this, Step.Look, this.command(at));
  }

  private missed(step: i32, failure: Failure): void {
    this.fail(step == Step.Mount ? unknownError(failureText(failure)) : this.problem(failure));
  }

  private problem(failure: Failure): CallError {
    if (failure.tag == FailureTag.Call) return unknownError(this.about(errnoText((<FailureCall>failure).value.error)));
    if (failure.tag == FailureTag.WrongKind) return unknownError(`${this.path} is not a regular file`);
    if (failure.tag != FailureTag.TooLarge) return unknownError(failureText(failure));
    return new CallError(
      Code.ResourceExhausted,
      `${this.path} has more than ${LARGEST.toString()} bytes: ask for a part of it`,
    );
  }

  /** As Go's libraries say it: `open /a: no such file or directory`. */
  private about(words: string): string {
    return `${this.verb} ${this.path}: ${words}`;
  }
}

/** The kernel takes no file for `a/`, but BuildKit drops slashes at the end (containerd/continuity, fs.RootPath). */
function withoutSlashes(path: string): string {
  let end = path.length;
  while (end > 0 && path.charCodeAt(end - 1) == 0x2f) end--;
  return path.slice(0, end);
}
