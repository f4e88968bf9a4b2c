// COPY and ADD: files of the context, or of another image, become a layer.

import {
  ChosenFile,
  ContentCommandCopy,
  ContentCommandMakeDirectory,
  ContentCommandStat,
  Copied,
  CopiedFile,
  CopiedFiles,
  CopiedGiven,
  Copy,
  CopyPlace,
  Failure,
  FileCopies,
  GivenFile,
  NewDirectory,
  Outcome,
  OutcomeStat,
} from "../../../../build/bindings/types";
import { askContent } from "../../ask";
import { isDirectory } from "../../container/files/file-mode";
import { lacksPath } from "../../failure/missing";
import { failureText } from "../../failure/text";
import { Claims } from "../../image/layers/claims";
import { tarLimits } from "../../image/limits";
import { ownerProblem, unknownOwner } from "./copy-owner";
import { pathFrom } from "../evaluation/work-directory";
import { CopyWish } from "./copy-wish";
import { CopySource, FoundSources } from "./found-sources";
import { baseName, lastParts } from "./paths";
import { PlaceWork } from "./place-work";
import { WorkClient } from "./work";

enum Step {
  Mount,
  Look,
  /** The directories that the copies will be in. */
  Above,
  /** Of the place that the next files come from. */
  Source,
  Copy,
  Given,
}

/** The second half of a copy: the files are chosen, and there is no image in the cache. */
export class CopyWork extends PlaceWork {
  /** Whether a directory is at the destination. A file there gives way to a file, but to nothing else. */
  private isThere: bool = false;
  /** The next source to copy. */
  private next: i32 = 0;

  constructor(
    private readonly wish: CopyWish,
    /** Nothing for here-documents alone. */
    private readonly found: FoundSources,
    chain: string | null,
    claims: Claims,
    client: WorkClient,
  ) {
    super(chain, claims, client, wish.isApart);
  }

  begin(): void {
    const owner = this.wish.owner;
    const problem = owner === null ? "" : ownerProblem(owner);
    if (problem.length > 0) return this.failed(problem);
    this.place.mount(this, Step.Mount);
  }

  ended(step: i32, outcome: Outcome | null, failure: Failure | null): void {
    this.op = 0;
    if (this.cancelled) return;
    if (step == Step.Look) return this.looked(outcome, failure);
    if (failure !== null) {
      const problem = unknownOwner(failure);
      return problem.length > 0 ? this.failed(problem) : this.fail(failureText(failure));
    }
    if (step == Step.Mount) this.op = askContent(this, Step.Look, new ContentCommandStat(this.place.at(this.wish.to)));
    else if (step == Step.Copy || step == Step.Source || step == Step.Above) this.copyNext();
    else this.makeLayer();
  }

  private looked(outcome: Outcome | null, failure: Failure | null): void {
    if (failure !== null && !lacksPath(failure)) return this.fail(failureText(failure));
    this.isThere = failure === null && isDirectory((<OutcomeStat>outcome!).value.mode);
    if (failure === null && !this.isThere && this.needsDirectory) {
      return this.fail(`cannot copy to non-directory: ${this.wish.to}`);
    }
    if (this.wish.ownsAbove && failure !== null) this.makeAbove();
    else this.copyNext();
  }

  /** The host makes those for a file for its owner, but those above a directory for root. */
  private makeAbove(): void {
    const to = this.wish.to;
    const directory = to.endsWith("/") ? to : pathFrom(to, "..");
    const above = new NewDirectory(this.place.at(directory), this.wish.owner);
    this.op = askContent(this, Step.Above, new ContentCommandMakeDirectory(above));
  }

  private get needsDirectory(): bool {
    const count = this.found.count;
    const sources = this.found.sources;
    if (this.wish.parents || count + this.wish.given.length > 1 || this.wish.to.endsWith("/")) return true;
    return count == 1 && sources.some((source) => source.files.length == 1 && source.files[0].directory);
  }

  private copyNext(): void {
    const sources = this.found.sources;
    while (this.next < sources.length && sources[this.next].files.length == 0) this.next++;
    if (this.next == sources.length) return this.copyGiven();
    const source = sources[this.next];
    if (!source.place.isMade) return source.place.mount(this, Step.Source);
    this.next++;
    const files: CopiedFile[] = [];
    for (let i = 0; i < source.files.length; i++) files.push(this.copyOf(source, source.files[i]));
    const wish = this.wish;
    const unpackTo: string | null = source.unpack ? wish.to : null;
    const view = source.place.view();
    const copies = new FileCopies(view, files, source.missing, wish.parents, unpackTo, wish.ownsAbove);
    this.copy(Step.Copy, new CopiedFiles(copies));
  }

  private copyGiven(): void {
    const given = this.wish.given;
    if (given.length == 0) return this.ended(Step.Given, null, null);
    const files: GivenFile[] = [];
    for (let i = 0; i < given.length; i++) files.push(new GivenFile(this.placeOf(given[i].name), given[i].content));
    this.copy(Step.Given, new CopiedGiven(files));
  }

  private copy(step: i32, what: Copied): void {
    const command = new Copy(this.place.view(), what, this.wish.owner, this.wish.modes, tarLimits());
    this.op = askContent(this, step, new ContentCommandCopy(command));
  }

  /** The contents of a directory are copied, not the directory itself. */
  private copyOf(source: CopySource, file: ChosenFile): CopiedFile {
    const wish = this.wish;
    if (wish.parents) {
      const name = lastParts(file.path, wish.pivotOf(file.pattern));
      return new CopiedFile(file.path, new CopyPlace(wish.to, name.length > 0 ? name : null), true);
    }
    if (file.directory) return new CopiedFile(file.path, new CopyPlace(wish.to, null), !this.isThere);
    const name = source.names.length > 0 ? source.names[file.pattern] : baseName(file.path);
    return new CopiedFile(file.path, this.placeOf(name), false);
  }

  private placeOf(name: string): CopyPlace {
    const isBelow = this.isThere || this.wish.to.endsWith("/");
    return new CopyPlace(this.wish.to, isBelow ? name : null);
  }

  protected fail(why: string): void {
    this.failed(`failed to copy files: ${why}`);
  }

  /** `why`: the whole sentence. */
  private failed(why: string): void {
    super.fail(why);
  }
}
