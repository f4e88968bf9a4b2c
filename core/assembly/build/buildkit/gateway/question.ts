// What a client that directs its build asks about results and images, beside the results themselves.

import { Call } from "../../../call";
import { JsonWriter } from "../../../json/writer";
import { headersOf, sendWhole } from "../../../reply";
import { Task } from "../../../task";
import { answerError, CallError } from "../grpc-reply";

/** Is told when a question is answered. */
export interface QuestionOwner {
  questionOver(question: Question): void;
}

export abstract class Question extends Task {
  private owner: QuestionOwner | null = null;

  constructor(protected readonly call: Call) {
    super();
  }

  /** Finally tells the owner, perhaps at once. */
  begin(owner: QuestionOwner): void {
    this.owner = owner;
    this.ask();
  }

  /** The build is over: the client is told so, and whatever is under way is given up. */
  cancel(error: CallError): void {
    this.owner = null;
    this.giveUp();
    answerError(this.call, error);
  }

  protected abstract ask(): void;

  protected abstract giveUp(): void;

  /** It was cancelled, or is answered. */
  protected get isOver(): bool {
    return this.owner === null;
  }

  /** An answer may be large, so it is not copied. */
  protected answer(json: JsonWriter): void {
    sendWhole(this.call, 200, headersOf(this.call).json, json.line().take());
    this.conclude();
  }

  protected fail(error: CallError): void {
    answerError(this.call, error);
    this.conclude();
  }

  private conclude(): void {
    const owner = this.owner!;
    this.owner = null;
    owner.questionOver(this);
  }
}
