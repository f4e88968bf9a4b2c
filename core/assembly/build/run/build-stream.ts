// What the client of a build sees (surface §2.22). With `q` that is only the image's id, and errors.

import { LogSource } from "../../../../build/bindings/types";
import { ProgressStream, StreamWriter } from "../../image/progress-stream";
import { Refusal } from "../../refusal";

export class BuildStream {
  constructor(
    /** Also for pulls. */
    readonly progress: ProgressStream,
    private readonly quiet: bool,
    private readonly tellsIds: bool,
  ) {}

  begin(writer: StreamWriter): void {
    this.progress.begin(writer);
  }

  get finished(): bool {
    return this.progress.finished;
  }

  /** Text with its newline. */
  text(text: string): void {
    if (!this.quiet && text.length > 0) this.progress.text(text);
  }

  /** A text that Docker writes to the error stream: it is red. */
  warn(text: string): void {
    if (text.length > 0) this.text(`\u001b[91m${text}\u001b[0m`);
  }

  insert(log: LogSource): void {
    if (!this.quiet) this.progress.insert(log);
  }

  /** The image that a stage has made. */
  made(id: string): void {
    if (this.tellsIds) this.progress.made(id);
  }

  /** The end of a successful build. */
  conclude(id: string): void {
    if (this.quiet) this.progress.text(`${id}\n`);
    this.progress.end();
  }

  refuse(refusal: Refusal): void {
    this.progress.refuse(refusal);
  }

  fail(message: string, code: i32): void {
    if (code == 0) this.progress.fail(message);
    else this.progress.failWithCode(message, code);
  }
}
