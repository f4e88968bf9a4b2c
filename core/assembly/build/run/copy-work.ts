// COPY and ADD: files of the context, or of another image, become a layer.

import {
  ChosenFile,
  ContentCommandCopy,
  ContentCommandStat,
  Copied,
  CopiedFile,
  CopiedFiles,
  CopiedGiven,
  Copy,
  Failure,
  FileCopies,
  GivenFile,
  Outcome,
  OutcomeStat,
} from "../../../../build/bindings/types";
import { Box } from "../../../../build/bindings/runtime";
import { askContent } from "../../ask";
import { isDirectory } from "../../container/files/file-mode";
import { lacksPath } from "../../failure/missing";
import { failureText } from "../../failure/text";
import { Claims } from "../../image/layers/claims";
import { holesLimit } from "../../image/limits";
import { CopyWish } from "./copy-wish";
import { baseName, joinPath } from "./paths";
import { Place } from "./place";
import { PlaceWork } from "./place-work";
import { WorkClient } from "./work";

enum Step {
  Mount,
  Look,
  Copy,
  Given,
}

/** The second half of a copy: the files are chosen, and there is no image in the cache. */
export class CopyWork extends PlaceWork {
  /** Whether a directory is at the destination. A file there gives way to a file, but to nothing else. */
  private isThere: bool = false;

  /** `source`: null for here-documents alone. */
  constructor(
    private readonly wish: CopyWish,
    private readonly source: Place | null,
    private readonly chosen: ChosenFile[],
    chain: string | null,
    claims: Claims,
    client: WorkClient,
  ) {
    super(chain, claims, client);
  }

  begin(): void {
    this.place.mount(this, Step.Mount);
  }

  ended(step: i32, outcome: Outcome | null, failure: Failure | null): void {
    this.op = 0;
    if (this.cancelled) return;
    if (step == Step.Look) return this.looked(outcome, failure);
    if (failure !== null) return this.fail(failureText(failure));
    if (step == Step.Mount) this.op = askContent(this, Step.Look, new ContentCommandStat(this.place.at(this.wish.to)));
    else if (step == Step.Copy) this.copyGiven();
    else this.makeLayer();
  }

  private looked(outcome: Outcome | null, failure: Failure | null): void {
    if (failure !== null && !lacksPath(failure)) return this.fail(failureText(failure));
    this.isThere = failure === null && isDirectory((<OutcomeStat>outcome!).value.mode);
    if (failure === null && !this.isThere && this.needsDirectory) {
      return this.fail(`cannot copy to non-directory: ${this.wish.to}`);
    }
    this.copyFiles();
  }

  private get needsDirectory(): bool {
    if (this.chosen.length + this.wish.given.length > 1 || this.wish.to.endsWith("/")) return true;
    return this.chosen.length == 1 && this.chosen[0].directory;
  }

  private copyFiles(): void {
    const source = this.source;
    if (source === null || this.chosen.length == 0) return this.copyGiven();
    const files: CopiedFile[] = [];
    for (let i = 0; i < this.chosen.length; i++) files.push(this.copyOf(this.chosen[i]));
    const copies = new FileCopies(source.view(), files, this.wish.without, this.wish.unpack ? this.wish.to : null);
    this.copy(Step.Copy, new CopiedFiles(copies));
  }

  private copyGiven(): void {
    const given = this.wish.given;
    if (given.length == 0) return this.ended(Step.Given, null, null);
    const files: GivenFile[] = [];
    for (let i = 0; i < given.length; i++) files.push(new GivenFile(this.placeOf(given[i].to), given[i].content));
    this.copy(Step.Given, new CopiedGiven(files));
  }

  private copy(step: i32, what: Copied): void {
    const mode = this.wish.mode;
    const box: Box<u32> | null = mode < 0 ? null : new Box<u32>(mode);
    const command = new Copy(this.place.view(), what, this.wish.owner, box, holesLimit());
    this.op = askContent(this, step, new ContentCommandCopy(command));
  }

  /** The contents of a directory are copied, not the directory itself. */
  private copyOf(file: ChosenFile): CopiedFile {
    if (file.directory) return new CopiedFile(file.path, this.wish.to, !this.isThere);
    return new CopiedFile(file.path, this.placeOf(baseName(file.path)), false);
  }

  private placeOf(name: string): string {
    return this.isThere || this.wish.to.endsWith("/") ? joinPath(this.wish.to, name) : this.wish.to;
  }

  protected fail(why: string): void {
    super.fail(`${this.wish.keyword} failed: ${why}`);
  }
}
