// Files of web servers: they are fetched into a place of their own, one after the other.

import {
  ContentCommandDownload,
  Download,
  Downloaded,
  Failure,
  Outcome,
  OutcomeDownloaded,
  Progress,
} from "../../../../../build/bindings/types";
import { abandon, askContent } from "../../../ask";
import { answeredStatus, webAnswerText } from "../../../failure/answer";
import { failureText } from "../../../failure/text";
import { Ignored } from "../../../ignored";
import { WebAddress } from "../../../image/import/web-address";
import { engine } from "../../../state";
import { Task } from "../../../task";
import { OpenWork } from "../work";
import { Place } from "../place";

/** Waits for the files. */
export interface FetchClient {
  /** The file at this place in the list has this many bytes so far; `total` is 0 if that is not known. */
  fetchMoved(at: i32, current: u64, total: u64): void;
  /** They are in the order of their addresses, each with its place in the list as its name: `/0`, `/1`. */
  fetched(files: Downloaded[]): void;
  /** `failure`: null if there can be nothing at the address. */
  notFetched(why: string, failure: Failure | null): void;
}

enum Step {
  Mount,
  Download,
}

export class Fetching extends Task implements OpenWork {
  private readonly files: Downloaded[] = [];
  private cancelled: bool = false;
  private op: u64 = 0;

  /** `place`: gets the files; it is not mounted yet. */
  constructor(
    private readonly addresses: WebAddress[],
    private readonly place: Place,
    private readonly client: FetchClient,
  ) {
    super();
  }

  begin(): void {
    this.place.mount(this, Step.Mount);
  }

  progressed(_step: i32, progress: Progress): void {
    if (!this.cancelled) this.client.fetchMoved(this.files.length, progress.current, progress.total);
  }

  ended(step: i32, outcome: Outcome | null, failure: Failure | null): void {
    this.op = 0;
    if (this.cancelled) return;
    if (failure !== null) {
      this.forget();
      return this.client.notFetched(fetchFailure(failure), failure);
    }
    if (step == Step.Download) this.files.push((<OutcomeDownloaded>outcome!).value);
    if (this.files.length == this.addresses.length) this.client.fetched(this.files);
    else this.fetch(this.files.length);
  }

  cancel(): void {
    this.cancelled = true;
    this.forget();
    if (this.op != 0) abandon(new Ignored(), 0, this.op);
  }

  private forget(): void {
    for (let i = 0; i < this.addresses.length; i++) this.addresses[i].forget();
  }

  private fetch(at: i32): void {
    const address = this.addresses[at];
    const problem = address.problem();
    if (problem === null) {
      const into = this.place.at(`/${at.toString()}`);
      const command = new Download(into, address.file, engine.options.unpackedLimit);
      this.op = askContent(this, Step.Download, new ContentCommandDownload(command));
    }
    address.forget();
    if (problem !== null) this.client.notFetched(problem.message, null);
  }
}

/** What Docker says of a file that it cannot get. */
function fetchFailure(failure: Failure): string {
  return answeredStatus(failure) != 0 ? webAnswerText(failure) : failureText(failure);
}
