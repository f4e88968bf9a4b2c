// `remote`: a context that is a git repository, or a directory of one.

import {
  ContentCommandCopy,
  CopiedFile,
  CopiedFiles,
  Copy,
  CopyPlace,
  Failure,
  FileCopies,
  MissingFiles,
  Outcome,
} from "../../../../../build/bindings/types";
import { abandon, askContent } from "../../../ask";
import { failureText } from "../../../failure/text";
import { Ignored } from "../../../ignored";
import { tarLimits } from "../../../image/limits";
import { internal } from "../../../refusal";
import { Task } from "../../../task";
import { Place } from "../place";
import { OpenWork } from "../work";
import { Cloning, CloningClient } from "./cloning";
import { GitAddress } from "./git-address";
import { RemoteClient } from "./remote-context";

export class GitContext extends Task implements CloningClient, OpenWork {
  private readonly place: Place = new Place(null);
  private cloning: Cloning | null = null;
  private op: u64 = 0;
  private cancelled: bool = false;

  /** `context`: gets the files. */
  constructor(
    private readonly address: GitAddress,
    private readonly keepGit: bool,
    private readonly context: Place,
    private readonly client: RemoteClient,
  ) {
    super();
  }

  begin(): void {
    const cloning = new Cloning([this.address], this.keepGit, this.place, this);
    this.cloning = cloning;
    cloning.begin();
  }

  cloned(_commits: string[]): void {
    const file = new CopiedFile(`0/${this.address.directory}`, new CopyPlace("/", null), false);
    const copies = new FileCopies(this.place.view(), [file], new MissingFiles([], [], false), false, null, false);
    const command = new Copy(this.context.view(), new CopiedFiles(copies), null, [], tarLimits());
    this.op = askContent(this, 0, new ContentCommandCopy(command));
  }

  notCloned(why: string): void {
    this.place.drop();
    this.client.remoteMissing(internal(why));
  }

  ended(_step: i32, _outcome: Outcome | null, failure: Failure | null): void {
    this.op = 0;
    if (this.cancelled) return;
    this.place.drop();
    if (failure !== null) return this.client.remoteMissing(internal(failureText(failure)));
    this.client.remoteFiles();
  }

  cancel(): void {
    this.cancelled = true;
    const cloning = this.cloning;
    if (cloning !== null) cloning.cancel();
    if (this.op != 0) abandon(new Ignored(), 0, this.op);
    this.place.drop();
  }
}
