// What the client of the classic builder sees (surface §2.22). With `q` that is only the image's id; if the build fails, it is the
// newest texts and what the failing command wrote, so that the client learns why. No text or error has the user or the
// password of an address: all of them are hidden here.

import { LogSource } from "../../../../build/bindings/types";
import { Image } from "../../image/image";
import { ProgressStream, StreamWriter } from "../../image/progress-stream";
import { Refusal } from "../../refusal";
import { Stage } from "../stages/stage";
import { BuildProgress } from "./build-progress";
import { StageOutput } from "./output/stage-output";
import { withoutUsers } from "./web/shown";

/** UTF-16 units of texts that are held back. */
const MOST_HELD: i32 = 64 * 1024;

export class BuildStream extends BuildProgress {
  /** With `q`: the newest texts. */
  private held: string[] = [];
  private heldUnits: i32 = 0;
  /** With `q`: of a command that has not succeeded yet. */
  private log: LogSource | null = null;

  constructor(
    /** Also for pulls. A quiet build writes nothing to it until its end. */
    progress: ProgressStream,
    private readonly quiet: bool,
    private readonly tellsIds: bool,
  ) {
    super(progress);
  }

  ofStage(output: StageOutput): BuildProgress {
    if (!this.quiet) return new BuildStream(output, false, this.tellsIds);
    // Only what a failure would tell is held, and no container has to wait for its turn.
    output.takeTurn();
    return new BuildStream(this.progress, true, this.tellsIds);
  }

  begin(writer: StreamWriter): void {
    this.progress.quiet = this.quiet;
    this.progress.begin(writer);
  }

  announce(number: i32, total: i32, original: string): void {
    this.text(`Step ${number.toString()}/${total.toString()} : ${original}\n`);
  }

  based(_stage: Stage, image: Image | null): void {
    this.text(` ---> ${image === null ? "" : image.shortId}\n`);
  }

  triggered(count: i32): void {
    this.text(`# Executing ${count.toString()} build trigger${count == 1 ? "" : "s"}\n`);
  }

  cached(): void {
    this.text(" ---> Using cache\n");
  }

  kept(image: Image): void {
    this.text(` ---> ${image.shortId}\n`);
  }

  running(container: string, _command: string): void {
    this.text(` ---> Running in ${container}\n`);
  }

  note(text: string): void {
    this.text(text);
  }

  /** Docker writes it to the error stream: it is red. */
  warn(text: string): void {
    if (text.length > 0) this.text(`\u001b[91m${text}\u001b[0m`);
  }

  amount(status: string, id: string, key: string, current: u64, total: u64): void {
    this.progress.amount(status, id, key, current, total);
  }

  insert(log: LogSource): void {
    if (this.quiet) this.log = log;
    else this.progress.insert(log);
  }

  removed(container: string): void {
    if (!this.quiet) this.progress.text(` ---> Removed intermediate container ${container}\n`);
  }

  lost(): void {
    if (!this.quiet) this.progress.text("(A client has removed the container before its output could be told.)\n");
  }

  made(image: Image): void {
    if (this.tellsIds && !this.quiet) this.progress.made(image.id);
  }

  built(image: Image): void {
    this.text(`Successfully built ${image.shortId}\n`);
  }

  tagged(name: string): void {
    this.text(`Successfully tagged ${name}\n`);
  }

  conclude(image: Image): void {
    if (this.quiet) this.progress.text(`${image.id}\n`);
    this.progress.end();
  }

  refuse(refusal: Refusal): void {
    this.progress.refuse(new Refusal(refusal.kind, withoutUsers(refusal.message)));
  }

  tellHeld(): void {
    for (let i = 0; i < this.held.length; i++) this.progress.text(this.held[i]);
    this.held = [];
    const log = this.log;
    this.log = null;
    if (log !== null) this.progress.insert(log);
  }

  fail(message: string, code: i32): void {
    this.tellHeld();
    const shown = withoutUsers(message);
    if (code == 0) this.progress.fail(shown);
    else this.progress.failWithCode(shown, code);
  }

  /** Text with its newline. */
  private text(text: string): void {
    const shown = withoutUsers(text);
    if (this.quiet) this.hold(shown);
    else if (shown.length > 0) this.progress.text(shown);
  }

  /** A text that comes after a command: it has succeeded. */
  private hold(text: string): void {
    this.log = null;
    this.held.push(text);
    this.heldUnits += text.length;
    while (this.heldUnits > MOST_HELD) this.heldUnits -= this.held.shift().length;
  }
}
