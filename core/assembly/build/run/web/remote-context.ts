// `remote`: a context that a web server has. It is a tar, or a Dockerfile without other files; which one, the header
// `Content-Type` tells, or else the first bytes.

import {
  ContentCommandCopy,
  ContentCommandReadFile,
  CopiedFile,
  CopiedFiles,
  Copy,
  CopyPlace,
  Downloaded,
  Failure,
  FileCopies,
  MissingFiles,
  Outcome,
  OutcomeBytes,
  ReadFile,
} from "../../../../../build/bindings/types";
import { abandon, askContent } from "../../../ask";
import { answeredStatus } from "../../../failure/answer";
import { failureText } from "../../../failure/text";
import { Ignored } from "../../../ignored";
import { brokenTar } from "../../../image/archive/archive-reader";
import { answeredKind } from "../../../image/import/import-refusal";
import { WebAddress } from "../../../image/import/web-address";
import { tarLimits } from "../../../image/limits";
import { internal, Refusal } from "../../../refusal";
import { Task } from "../../../task";
import { quoteText } from "../../../text/go-quote";
import { MAX_DOCKERFILE } from "../../dockerfile/dockerfile";
import { Place } from "../place";
import { OpenWork } from "../work";
import { isText, isTextType, isUnpackable, OCTETS, typeIn } from "./content-type";
import { FetchClient, Fetching } from "./fetching";

/** Waits for the context. */
export interface RemoteClient {
  /** `size`: of what was fetched, in bytes. */
  remoteArrived(shown: string, size: u64): void;
  /** The Dockerfile, without a context. */
  remoteDockerfile(bytes: Uint8Array): void;
  /** The files are in the context. */
  remoteFiles(): void;
  remoteMissing(refusal: Refusal): void;
}

enum Step {
  Read,
  Unpack,
}

export class RemoteContext extends Task implements FetchClient, OpenWork {
  private readonly place: Place = new Place(null);
  private readonly shown: string;
  private fetching: Fetching | null = null;
  private cancelled: bool = false;
  private op: u64 = 0;

  /** `context`: gets the files. */
  constructor(
    private readonly address: WebAddress,
    private readonly context: Place,
    private readonly client: RemoteClient,
  ) {
    super();
    this.shown = address.shown;
  }

  begin(): void {
    const fetching = new Fetching([this.address], this.place, this);
    this.fetching = fetching;
    fetching.begin();
  }

  fetchMoved(_at: i32, _current: u64, _total: u64): void {}

  fetched(files: Downloaded[]): void {
    const file = files[0];
    if (file.size == 0) return this.fail(internal(this.undetected("empty response")));
    const given = typeIn(file.mediaType);
    const isVague = given.length == 0 || given == OCTETS;
    if (!isVague && !isTextType(given) && !isUnpackable(given)) {
      return this.fail(internal(this.undetected(`unsupported Content-Type ${quoteText(given)}`)));
    }
    this.client.remoteArrived(this.shown, file.size);
    if (isVague ? isText(file.beginning) : isTextType(given)) this.read();
    else this.unpack();
  }

  notFetched(why: string, failure: Failure | null): void {
    const message = `error downloading remote context ${this.shown}: ${why}`;
    const status: u16 = failure === null ? 0 : answeredStatus(failure);
    this.fail(status == 0 ? internal(message) : new Refusal(answeredKind(status), message));
  }

  ended(step: i32, outcome: Outcome | null, failure: Failure | null): void {
    this.op = 0;
    if (this.cancelled) return;
    if (failure !== null) {
      const text = failureText(failure);
      return this.fail(internal(step == Step.Unpack ? brokenTar(text) : text));
    }
    this.place.drop();
    if (step == Step.Unpack) this.client.remoteFiles();
    else this.client.remoteDockerfile((<OutcomeBytes>outcome!).value);
  }

  cancel(): void {
    this.cancelled = true;
    const fetching = this.fetching;
    if (fetching !== null) fetching.cancel();
    if (this.op != 0) abandon(new Ignored(), 0, this.op);
    this.place.drop();
  }

  private read(): void {
    const file = new ReadFile(this.place.at("/0"), MAX_DOCKERFILE);
    this.op = askContent(this, Step.Read, new ContentCommandReadFile(file));
  }

  private unpack(): void {
    const file = new CopiedFile("0", new CopyPlace("/", "0"), false);
    const copies = new FileCopies(this.place.view(), [file], new MissingFiles([], [], false), false, "/");
    const command = new Copy(this.context.view(), new CopiedFiles(copies), null, [], tarLimits());
    this.op = askContent(this, Step.Unpack, new ContentCommandCopy(command));
  }

  private undetected(why: string): string {
    return `error detecting content type for remote ${this.shown}: ${why}`;
  }

  private fail(refusal: Refusal): void {
    this.place.drop();
    this.client.remoteMissing(refusal);
  }
}
