// What the client of a build sees (surface §2.22). With `q` that is only the image's id; if the build fails, it is the
// newest texts and what the failing command wrote, so that the client learns why. No text or error has the user or the
// password of an address: all of them are hidden here.

import { LogSource } from "../../../../build/bindings/types";
import { ProgressStream, RoomReader, StreamWriter } from "../../image/progress-stream";
import { Refusal } from "../../refusal";
import { withoutUsers } from "./web/shown";

/** UTF-16 units of texts that are held back. */
const MOST_HELD: i32 = 64 * 1024;

export class BuildStream {
  /** With `q`: the newest texts. */
  private held: string[] = [];
  private heldUnits: i32 = 0;
  /** With `q`: of a command that has not succeeded yet. */
  private log: LogSource | null = null;

  constructor(
    /** Also for pulls. */
    readonly progress: ProgressStream,
    private readonly quiet: bool,
    private readonly tellsIds: bool,
  ) {}

  begin(writer: StreamWriter): void {
    this.progress.quiet = this.quiet;
    this.progress.begin(writer);
  }

  /** See `ProgressStream`. A quiet build writes nothing until its end. */
  get isCrowded(): bool {
    return this.progress.isCrowded;
  }

  whenRoom(reader: RoomReader): void {
    this.progress.whenRoom(reader);
  }

  get finished(): bool {
    return this.progress.finished;
  }

  /** Text with its newline. */
  text(text: string): void {
    const shown = withoutUsers(text);
    if (this.quiet) this.hold(shown);
    else if (shown.length > 0) this.progress.text(shown);
  }

  /** A text that Docker writes to the error stream: it is red. */
  warn(text: string): void {
    if (text.length > 0) this.text(`\u001b[91m${text}\u001b[0m`);
  }

  /** See `ProgressStream`. */
  amount(status: string, id: string, key: string, current: u64, total: u64): void {
    this.progress.amount(status, id, key, current, total);
  }

  insert(log: LogSource): void {
    if (this.quiet) this.log = log;
    else this.progress.insert(log);
  }

  /** The image that a stage has made. */
  made(id: string): void {
    if (this.tellsIds && !this.quiet) this.progress.made(id);
  }

  /** The end of a successful build. */
  conclude(id: string): void {
    if (this.quiet) this.progress.text(`${id}\n`);
    this.progress.end();
  }

  refuse(refusal: Refusal): void {
    this.progress.refuse(new Refusal(refusal.kind, withoutUsers(refusal.message)));
  }

  fail(message: string, code: i32): void {
    for (let i = 0; i < this.held.length; i++) this.progress.text(this.held[i]);
    const log = this.log;
    if (log !== null) this.progress.insert(log);
    const shown = withoutUsers(message);
    if (code == 0) this.progress.fail(shown);
    else this.progress.failWithCode(shown, code);
  }

  /** A text that comes after a command: it has succeeded. */
  private hold(text: string): void {
    this.log = null;
    this.held.push(text);
    this.heldUnits += text.length;
    while (this.heldUnits > MOST_HELD) this.heldUnits -= this.held.shift().length;
  }
}
