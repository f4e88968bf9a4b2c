// Clones git repositories into a place of their own, one after the other.

import {
  Clone,
  ContentCommandClone,
  Failure,
  FailureImagined,
  Noun,
  Outcome,
  OutcomeBytes,
} from "../../../../../build/bindings/types";
import { abandon, askContent } from "../../../ask";
import { lacks } from "../../../failure/missing";
import { failureText } from "../../../failure/text";
import { Ignored } from "../../../ignored";
import { engine } from "../../../state";
import { Task } from "../../../task";
import { decodeUtf8 } from "../../../text/utf8";
import { NOT_DRY } from "../not-dry";
import { Place } from "../place";
import { OpenWork } from "../work";
import { GitAddress } from "./git-address";

const NO_GIT =
  "the program git is needed for it, and this machine does not have it: install it, or send the files as the context";

/** Waits for the repositories. */
export interface CloningClient {
  /** They are in the order of their addresses, each with its place in the list as its name: `/0`, `/1`. */
  cloned(commits: string[]): void;
  notCloned(why: string): void;
}

enum Step {
  Mount,
  Clone,
}

export class Cloning extends Task implements OpenWork {
  private readonly commits: string[] = [];
  private cancelled: bool = false;
  private op: u64 = 0;

  /** `place`: gets the files; it is not mounted yet. */
  constructor(
    private readonly addresses: GitAddress[],
    private readonly keepGit: bool,
    private readonly place: Place,
    private readonly client: CloningClient,
  ) {
    super();
  }

  begin(): void {
    this.place.mount(this, Step.Mount);
  }

  ended(step: i32, outcome: Outcome | null, failure: Failure | null): void {
    this.op = 0;
    if (this.cancelled) return;
    if (failure !== null) return this.fail(failure instanceof FailureImagined ? NOT_DRY : textOf(failure));
    if (step == Step.Clone) this.commits.push(decodeUtf8((<OutcomeBytes>outcome!).value));
    if (this.commits.length == this.addresses.length) this.client.cloned(this.commits);
    else this.clone(this.commits.length);
  }

  cancel(): void {
    this.cancelled = true;
    for (let i = 0; i < this.addresses.length; i++) this.addresses[i].forget();
    if (this.op != 0) abandon(new Ignored(), 0, this.op);
  }

  private clone(at: i32): void {
    const address = this.addresses[at];
    const problem = address.problem();
    if (problem.length > 0) return this.fail(problem);
    const into = this.place.at(`/${at.toString()}`);
    const clone = new Clone(into, address.file, address.reference, this.keepGit, engine.options.unpackedLimit);
    this.op = askContent(this, Step.Clone, new ContentCommandClone(clone));
    address.forget();
  }

  private fail(why: string): void {
    const at = this.commits.length;
    for (let i = at; i < this.addresses.length; i++) this.addresses[i].forget();
    this.client.notCloned(`unable to clone ${this.addresses[at].shown}: ${why}`);
  }
}

function textOf(failure: Failure): string {
  return lacks(failure, Noun.Tool) ? NO_GIT : failureText(failure);
}
