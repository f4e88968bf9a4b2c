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
  /** The address of the file at this place in the list. It is forgotten as soon as the host has it. */
  addressAt(at: i32): WebAddress;
  /** The file at this place in the list has this many bytes so far; `total` is 0 if that is not known. */
  fetchMoved(at: i32, current: u64, total: u64): void;
  /** One more file has arrived. */
  fileFetched(): void;
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
  /** What the files have left of their limit, in bytes. */
  private room: u64 = engine.options.unpackedLimit;

  /** `count`: of the files. `place`: gets them; it is not mounted yet. */
  constructor(
    private readonly count: i32,
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
    if (failure !== null) return this.client.notFetched(fetchFailure(failure), failure);
    if (step == Step.Download) this.take((<OutcomeDownloaded>outcome!).value);
    if (this.files.length == this.count) this.client.fetched(this.files);
    else this.fetch(this.files.length);
  }

  cancel(): void {
    this.cancelled = true;
    if (this.op != 0) abandon(new Ignored(), 0, this.op);
  }

  private take(file: Downloaded): void {
    this.files.push(file);
    this.room -= min(file.size, this.room);
    this.client.fileFetched();
  }

  private fetch(at: i32): void {
    const address = this.client.addressAt(at);
    const problem = address.problem();
    if (problem === null) {
      const into = this.place.at(`/${at.toString()}`);
      const command = new Download(into, address.file, this.room);
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
