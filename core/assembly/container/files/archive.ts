// HEAD and GET /containers/{id}/archive (surface §2.13): the stat of a path, and everything below it as a tar.

import {
  ArchiveSource,
  Closing,
  Compression,
  ContentCommandStat,
  Failure,
  FileAt,
  FileStat,
  Outcome,
  OutcomeStat,
  SourceArchive,
} from "../../../../build/bindings/types";
import { codingOf, nameOfCoding } from "../../api/content-coding";
import { askContent } from "../../ask";
import { Call, Follower } from "../../call";
import { emitContainer } from "../../event/emit";
import { lacksPath } from "../../failure/missing";
import { sourceRefusal } from "../../failure/source";
import { JsonWriter } from "../../json/writer";
import { badParameter, internal, notFound, Refusal } from "../../refusal";
import { headersOf, openReply, sendWhole, splice } from "../../reply";
import { encodeBase64 } from "../../text/base64";
import { formatTime } from "../../text/time";
import { Container } from "../container";
import { Status } from "../lifecycle";
import { containerStore } from "../store";
import { fileModeOf } from "./file-mode";
import { FilesWork, FIRST_STEP, waitForFiles } from "./files-work";

export function statPath(call: Call): Refusal | null {
  const subject = archiveSubject(call);
  const container = subject.container;
  if (container !== null) new Look(call, container).begin();
  return subject.refusal;
}

export function readArchive(call: Call): Refusal | null {
  const subject = archiveSubject(call);
  const container = subject.container;
  if (container !== null) new Reading(call, container).begin();
  return subject.refusal;
}

/** The container of a request. If neither field is set, the request waits in the queue. */
export class ArchiveSubject {
  constructor(
    readonly container: Container | null,
    readonly refusal: Refusal | null,
  ) {}
}

export function archiveSubject(call: Call): ArchiveSubject {
  const path = call.query.first("path");
  if (path.length == 0) return refused(badParameter("bad parameter: path cannot be empty"));
  const lookup = containerStore.lookUp(call.name);
  const container = lookup.container;
  if (container === null) return refused(lookup.refusal);
  // The kernel would end the path at the NUL byte.
  if (path.includes("\0")) return refused(internal(`lstat ${path}: invalid argument`));
  if (container.between) {
    waitForFiles(container, call);
    return refused(null);
  }
  if (container.status != Status.Removing && container.status != Status.Dead)
    return new ArchiveSubject(container, null);
  return refused(internal(`container ${container.id} is dead or marked for removal`));
}

function refused(refusal: Refusal | null): ArchiveSubject {
  return new ArchiveSubject(null, refusal);
}

/** Work that first gets the stat of the path. */
export abstract class PathWork extends FilesWork {
  protected abstract found(stat: FileStat): void;

  /** A step after the first has completed. */
  protected followed(_outcome: Outcome | null, _failure: Failure | null): void {}

  protected get path(): string {
    return this.call.query.first("path");
  }

  /** If the last part of the path is a link, it is followed. */
  protected get follows(): bool {
    return false;
  }

  protected at(): FileAt {
    return new FileAt(this.view(), this.path, this.follows);
  }

  protected ready(): void {
    askContent(this, FIRST_STEP, new ContentCommandStat(this.at()));
  }

  protected answered(step: i32, outcome: Outcome | null, failure: Failure | null): void {
    if (step != FIRST_STEP) return this.followed(outcome, failure);
    if (failure === null) return this.found((<OutcomeStat>outcome!).value);
    this.refuse(lacksPath(failure) ? this.missing() : sourceRefusal(failure));
  }

  private missing(): Refusal {
    return notFound(`Could not find the file ${this.path} in container ${this.call.name}`);
  }
}

class Look extends PathWork {
  protected found(stat: FileStat): void {
    this.close();
    sendWhole(this.call, 200, `${headersOf(this.call).all}\n${statHeader(stat)}`, new Uint8Array(0));
  }
}

class Reading extends PathWork {
  protected found(stat: FileStat): void {
    if (this.gone) return this.close();
    const call = this.call;
    const coding = codingOf(call.request.headers);
    let headers = `${headersOf(this.call).all}\nContent-Type: application/x-tar\n${statHeader(stat)}`;
    if (coding != Compression.None) headers += `\nContent-Encoding: ${nameOfCoding(coding)}`;
    openReply(call, 200, headers, new Reader(this));
    splice(call, new SourceArchive(new ArchiveSource(this.at(), coding)));
    emitContainer(this.container, "archive-path");
  }
}

/** The client that reads a tar: the work ends when all is sent or the client has gone. */
export class Reader extends Follower {
  constructor(private readonly work: FilesWork) {
    super();
  }

  closed(_call: Call, _why: Closing): void {
    this.work.close();
  }
}

function statHeader(stat: FileStat): string {
  const json = new JsonWriter();
  json.beginObject();
  json.stringField("name", stat.name);
  json.i64Field("size", <i64>stat.size);
  json.i64Field("mode", <i64>fileModeOf(stat.mode));
  json.stringField("mtime", formatTime(stat.modified));
  json.stringField("linkTarget", stat.linkTarget);
  json.endObject();
  return `X-Docker-Container-Path-Stat: ${encodeBase64(json.finish())}`;
}
