// The questions of one build are answered one after the other, as the client reads: an answer may be as large as a message
// can be.

import { CallError, Code } from "../grpc-reply";
import { Question, QuestionOwner } from "./question";

/** How many of one build may wait. */
const MOST_WAITING: i32 = 100;

export class Questions implements QuestionOwner {
  private current: Question | null = null;
  private waiting: Question[] = [];

  add(question: Question): void {
    if (this.waiting.length >= MOST_WAITING) return this.refuse(question);
    question.wait();
    if (this.current === null) this.begin(question);
    else this.waiting.push(question);
  }

  questionOver(_question: Question): void {
    this.current = null;
    if (this.waiting.length > 0) this.begin(this.waiting.shift());
  }

  /** The build is over. */
  end(why: string): void {
    const current = this.current;
    const waiting = this.waiting;
    this.current = null;
    this.waiting = [];
    if (current !== null) current.cancel(new CallError(Code.Cancelled, why));
    for (let i = 0; i < waiting.length; i++) waiting[i].cancel(new CallError(Code.Cancelled, why));
  }

  private refuse(question: Question): void {
    question.cancel(new CallError(Code.ResourceExhausted, "too many questions about the build wait"));
  }

  private begin(question: Question): void {
    this.current = question;
    question.begin(this);
  }
}
