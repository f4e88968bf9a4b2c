// `remote`: a context that a web server has. It is a tar, or a Dockerfile without other files; which one, the header
// `Content-Type` tells, or else the first bytes.

import {
  ContentCommandCopy,
  ContentCommandReadFile,
  ContentCommandStat,
  CopiedFile,
  CopiedFiles,
  Copy,
  CopyPlace,
  Downloaded,
  Failure,
  FailureImagined,
  FileCopies,
  MissingFiles,
  Outcome,
  OutcomeBytes,
  ReadFile,
} from "../../../../../build/bindings/types";
import { abandon, askContent } from "../../../ask";
import { answeredStatus } from "../../../failure/answer";
import { lacksPath } from "../../../failure/missing";
import { failureText } from "../../../failure/text";
import { Ignored } from "../../../ignored";
import { brokenTar } from "../../../image/archive/archive-reader";
import { answeredKind } from "../../../image/import/import-refusal";
import { WebAddress } from "../../../image/import/web-address";
import { tarLimits } from "../../../image/limits";
import { internal, notSupported, Refusal } from "../../../refusal";
import { engine } from "../../../state";
import { Task } from "../../../task";
import { quoteText } from "../../../text/go-quote";
import { MAX_DOCKERFILE } from "../../dockerfile/dockerfile";
import { Place } from "../place";
import { NOT_DRY } from "../not-dry";
import { OpenWork } from "../work";
import { isText, isTextType, isUnpackable, OCTETS, typeIn } from "./content-type";
import { FetchClient, Fetching } from "./fetching";

/** Waits for the context. */
export interface RemoteClient {
  /** So many bytes have arrived; `total` is 0 if it is not known. */
  remoteMoved(shown: string, current: u64, total: u64): void;
  /** `size`: of what was fetched, in bytes. */
  remoteArrived(shown: string, size: u64): void;
  /** The Dockerfile, without a context. */
  remoteDockerfile(bytes: Uint8Array): void;
  /** The files are in the context. */
  remoteFiles(): void;
  remoteMissing(refusal: Refusal): void;
}

/** Nanoseconds until the progress is told; clients wait for 60 seconds for an answer to begin. */
const PATIENCE: u64 = 10_000_000_000;

enum Step {
  Read,
  Unpack,
  /** Whether there is the file itself, since it was no tar. */
  Look,
}

/** What a file that is no tar is called in the context: a name that no context has. */
const NO_TAR = ".coracle-no-tar";
const INVALID_HEADER = "archive/tar: invalid tar header";

export class RemoteContext extends Task implements FetchClient, OpenWork {
  private readonly place: Place = new Place(null);
  private readonly shown: string;
  private fetching: Fetching | null = null;
  private cancelled: bool = false;
  private op: u64 = 0;
  private began: u64 = 0;

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
    this.began = engine.now.monotonic;
    const fetching = new Fetching(1, this.place, this);
    this.fetching = fetching;
    fetching.begin();
  }

  addressAt(_at: i32): WebAddress {
    return this.address;
  }

  /** Only of a long download, since an answer that has begun keeps its status, and what has arrived may be no context. */
  fetchMoved(_at: i32, current: u64, total: u64): void {
    const gone = engine.now.monotonic - this.began;
    if (current > 0 && gone >= PATIENCE) this.client.remoteMoved(this.shown, current, total);
  }

  fileFetched(): void {}

  fetched(files: Downloaded[]): void {
    const file = files[0];
    if (file.size == 0) return this.fail(internal(this.undetected("empty response")));
    const given = typeIn(file.mediaType);
    const isVague = given.length == 0 || given == OCTETS;
    if (!isVague && !isTextType(given) && !isUnpackable(given)) {
      return this.fail(internal(this.undetected(`unsupported Content-Type ${quoteText(file.mediaType)}`)));
    }
    this.client.remoteArrived(this.shown, file.size);
    const isDockerfile = isVague ? isText(file.beginning) : isTextType(given);
    if (isDockerfile) this.read();
    else this.unpack();
  }

  notFetched(why: string, failure: Failure | null): void {
    if (failure instanceof FailureImagined) return this.fail(notSupported(NOT_DRY));
    const message = `error downloading remote context ${this.shown}: ${why}`;
    const status: u16 = failure === null ? 0 : answeredStatus(failure);
    this.fail(status == 0 ? internal(message) : new Refusal(answeredKind(status), message));
  }

  ended(step: i32, outcome: Outcome | null, failure: Failure | null): void {
    this.op = 0;
    if (this.cancelled) return;
    if (step == Step.Look) return this.looked(failure);
    if (failure !== null) {
      const text = failureText(failure);
      return this.fail(internal(step == Step.Unpack ? brokenTar(text) : text));
    }
    if (step == Step.Unpack) return this.look();
    this.place.drop();
    this.client.remoteDockerfile((<OutcomeBytes>outcome!).value);
  }

  cancel(): void {
    this.cancelled = true;
    this.address.forget();
    const fetching = this.fetching;
    if (fetching !== null) fetching.cancel();
    if (this.op != 0) abandon(new Ignored(), 0, this.op);
    this.place.drop();
  }

  private read(): void {
    const file = new ReadFile(this.place.at("/0"), MAX_DOCKERFILE, null);
    this.op = askContent(this, Step.Read, new ContentCommandReadFile(file));
  }

  private unpack(): void {
    const file = new CopiedFile("0", new CopyPlace("/", NO_TAR), false);
    const copies = new FileCopies(this.place.view(), [file], new MissingFiles([], [], false), false, "/", false);
    const command = new Copy(this.context.view(), new CopiedFiles(copies), null, [], tarLimits());
    this.op = askContent(this, Step.Unpack, new ContentCommandCopy(command));
  }

  private look(): void {
    this.op = askContent(this, Step.Look, new ContentCommandStat(this.context.at(`/${NO_TAR}`)));
  }

  private looked(failure: Failure | null): void {
    if (failure === null) return this.fail(internal(brokenTar(INVALID_HEADER)));
    if (!lacksPath(failure)) return this.fail(internal(failureText(failure)));
    this.place.drop();
    this.client.remoteFiles();
  }

  private undetected(why: string): string {
    return `error detecting content type for remote ${this.shown}: ${why}`;
  }

  private fail(refusal: Refusal): void {
    this.address.forget();
    this.place.drop();
    this.client.remoteMissing(refusal);
  }
}
