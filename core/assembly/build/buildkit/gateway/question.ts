// What a client that directs its build asks about results and images, beside the results themselves.

import { Call } from "../../../call";
import { JsonWriter } from "../../../json/writer";
import { Task } from "../../../task";
import { answerError, CallError } from "../grpc-reply";
import { AnswerOwner, Asker } from "./asker";

/** Is told when a question is over: its answer is read, or nobody wants it any more. */
export interface QuestionOwner {
  questionOver(question: Question): void;
}

export abstract class Question extends Task implements AnswerOwner {
  /** Null before it begins, and once it is over. */
  private owner: QuestionOwner | null = null;
  private readonly asker: Asker;
  /** Its client has left, or it was cancelled. */
  private isUnwanted: bool = false;
  private isAnswered: bool = false;

  constructor(protected readonly call: Call) {
    super();
    this.asker = new Asker(call);
  }

  /** It waits for its turn: its client may leave. */
  wait(): void {
    this.asker.follow(this);
  }

  /** Finally tells the owner, perhaps at once. */
  begin(owner: QuestionOwner): void {
    this.owner = owner;
    if (this.isUnwanted) return this.conclude();
    this.ask();
  }

  /** The build is over: the client is told so, and whatever is under way is given up. An answer still goes out. */
  cancel(error: CallError): void {
    this.owner = null;
    if (this.isUnwanted || this.isAnswered) return;
    this.isUnwanted = true;
    this.giveUp();
    answerError(this.call, error);
  }

  answerRead(): void {
    this.conclude();
  }

  askerLeft(): void {
    this.isUnwanted = true;
    if (this.owner === null) return;
    if (!this.isAnswered) this.giveUp();
    this.conclude();
  }

  protected abstract ask(): void;

  protected abstract giveUp(): void;

  /** Nobody wants an answer, or there is one. */
  protected get isOver(): bool {
    return this.isUnwanted || this.isAnswered;
  }

  /** An answer may be large, so it is not copied. */
  protected answer(json: JsonWriter): void {
    this.isAnswered = true;
    this.asker.send(json.line().take());
  }

  protected fail(error: CallError): void {
    this.isAnswered = true;
    answerError(this.call, error);
    this.conclude();
  }

  private conclude(): void {
    const owner = this.owner;
    this.owner = null;
    if (owner !== null) owner.questionOver(this);
  }
}
