// `type=local` and `type=tar`: the client gets the files of the result. It has them in a directory or in a tar.

import {
  ContentCommandSendFiles,
  Failure,
  FailureImagined,
  Outcome,
  Progress,
  SentFiles,
  SentForm,
} from "../../../../../build/bindings/types";
import { abandon } from "../../../ask";
import { failureText } from "../../../failure/text";
import { Ignored } from "../../../ignored";
import { Image } from "../../../image/image";
import { Task } from "../../../task";
import { NOT_DRY } from "../../run/not-dry";
import { Place } from "../../run/place";
import { ExportClient, ExportNeeds, Exporting, sendProblem } from "./exporting";

enum Step {
  Place,
  Send,
}

export class FilesExport extends Task implements Exporting {
  private readonly place: Place;
  private client: ExportClient | null = null;
  /** What is being sent; 0 if nothing is. */
  private op: u64 = 0;

  constructor(
    image: Image,
    private readonly isTar: bool,
    private readonly needs: ExportNeeds,
  ) {
    super();
    this.place = new Place(image.chain);
  }

  begin(client: ExportClient): void {
    this.client = client;
    this.needs.progress.internal(`exporting to client ${this.isTar ? "tarball" : "directory"}`, "");
    const problem = sendProblem(this.needs.session);
    if (problem.length > 0) return this.fail(problem);
    this.place.mount(this, Step.Place);
  }

  ended(step: i32, _outcome: Outcome | null, failure: Failure | null): void {
    if (this.client === null) return;
    this.op = 0;
    if (failure !== null) return this.fail(failure instanceof FailureImagined ? NOT_DRY : failureText(failure));
    if (step == Step.Place) return this.send();
    const client = this.client!;
    this.close("");
    client.exported(new Map<string, string>());
  }

  progressed(_step: i32, progress: Progress): void {
    if (this.client !== null) this.needs.progress.moved(progress.current);
  }

  cancel(): void {
    const op = this.op;
    this.op = 0;
    if (op != 0) abandon(new Ignored(), 0, op);
    this.close("context canceled");
  }

  /** The client may have left meanwhile. */
  private send(): void {
    this.needs.progress.moves(this.isTar ? "sending tarball" : "copying files");
    const form = this.isTar ? SentForm.Tar : SentForm.Files;
    const files = new SentFiles(this.place.id, this.needs.session!.request, form, this.needs.output);
    this.op = this.place.make(this, Step.Send, new ContentCommandSendFiles(files));
  }

  private fail(why: string): void {
    const client = this.client!;
    this.close(why);
    client.exportFailed(why);
  }

  private close(error: string): void {
    this.client = null;
    this.place.drop();
    this.needs.progress.end(error);
  }
}
