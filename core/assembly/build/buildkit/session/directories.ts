// The directories that a client names as contexts. Its session has them. Files that a directory's own `.dockerignore` names
// are not even asked for.

import {
  ContentCommandExtract,
  ContentCommandReadFile,
  EntriesSourceSession,
  Extract,
  Failure,
  FailureImagined,
  Outcome,
  OutcomeBytes,
  Progress,
  ReadFile,
  SessionFiles,
} from "../../../../../build/bindings/types";
import { abandon, askContent } from "../../../ask";
import { lacksPath } from "../../../failure/missing";
import { failureText } from "../../../failure/text";
import { Ignored } from "../../../ignored";
import { tarLimits } from "../../../image/limits";
import { Task } from "../../../task";
import { decodeUtf8 } from "../../../text/utf8";
import { ClientDirectories, DirectoryClient } from "../../client-directories";
import { MAX_DOCKERFILE } from "../../dockerfile/dockerfile";
import { parseIgnoreFile } from "../../ignore/ignore-file";
import { NOT_DRY } from "../../run/not-dry";
import { Place } from "../../run/place";
import { OpenWork } from "../../run/work";
import { IGNORE_FILE } from "./context-ignores";
import { FILE_SYNC } from "./files";
import { KeptFiles } from "./kept-files";
import { Session } from "./sessions";

enum Step {
  IgnorePlace,
  IgnoreFile,
  Ignores,
  Place,
  Files,
}

/** Null if the session offers no files. */
export function directoriesOf(session: Session): ClientDirectories | null {
  return session.offers(FILE_SYNC) ? new SessionDirectories(session) : null;
}

class SessionDirectories extends ClientDirectories {
  constructor(private readonly session: Session) {
    super();
  }

  fetch(name: string, place: Place, client: DirectoryClient): OpenWork {
    const fetching = new Fetching(this.session, name, place, client);
    fetching.begin();
    return fetching;
  }
}

class Fetching extends Task implements OpenWork {
  private readonly ignores: Place = new Place(null);
  private readonly kept: KeptFiles = new KeptFiles();
  private excludes: string[] = [];
  private op: u64 = 0;
  private cancelled: bool = false;

  constructor(
    private readonly session: Session,
    private readonly directory: string,
    private readonly place: Place,
    private readonly client: DirectoryClient,
  ) {
    super();
  }

  begin(): void {
    this.ignores.mount(this, Step.IgnorePlace);
  }

  ended(step: i32, outcome: Outcome | null, failure: Failure | null): void {
    this.op = 0;
    if (this.cancelled) return;
    if (step == Step.Ignores) return this.tookIgnores(outcome, failure);
    if (failure !== null) return this.failAt(step, failure);
    switch (step) {
      case Step.IgnorePlace:
        return this.ask(Step.IgnoreFile, this.ignores, [], [IGNORE_FILE], null);
      case Step.IgnoreFile:
        return this.readIgnores();
      case Step.Place:
        return this.ask(Step.Files, this.place, this.excludes, [], this.kept.begin(this.session, this.directory));
      default:
        this.kept.end(true);
        this.client.directoryCame(this.place);
    }
  }

  progressed(step: i32, progress: Progress): void {
    if (step == Step.Files && !this.cancelled) this.client.directoryMoved(progress.current);
  }

  cancel(): void {
    this.cancelled = true;
    if (this.op != 0) abandon(new Ignored(), 0, this.op);
    this.kept.end(false);
    this.ignores.drop();
  }

  private readIgnores(): void {
    const file = new ReadFile(this.ignores.at(IGNORE_FILE), MAX_DOCKERFILE, null);
    this.op = askContent(this, Step.Ignores, new ContentCommandReadFile(file));
  }

  private tookIgnores(outcome: Outcome | null, failure: Failure | null): void {
    if (failure !== null && !lacksPath(failure)) return this.failAt(Step.Ignores, failure);
    const file = parseIgnoreFile(failure !== null ? "" : decodeUtf8((<OutcomeBytes>outcome!).value), IGNORE_FILE);
    if (file.problem.length > 0) return this.fail(file.problem);
    this.ignores.drop();
    this.excludes = file.texts();
    this.place.mount(this, Step.Place);
  }

  private ask(step: i32, into: Place, excludes: string[], follows: string[], memory: string | null): void {
    const files = new SessionFiles(this.session.request, this.directory, [], excludes, follows, memory);
    const extract = new Extract(into.at("/"), new EntriesSourceSession(files), false, null, tarLimits(), true);
    this.op = askContent(this, step, new ContentCommandExtract(extract));
  }

  private failAt(step: i32, failure: Failure): void {
    if (failure instanceof FailureImagined) return this.fail(NOT_DRY);
    const why = `the context ${this.directory}: ${failureText(failure)}`;
    const isIgnores = step == Step.IgnoreFile || step == Step.Ignores;
    this.fail(isIgnores ? `failed to read ${IGNORE_FILE} of ${why}` : `failed to load ${why}`);
  }

  private fail(why: string): void {
    this.kept.end(false);
    this.ignores.drop();
    this.client.directoryMissing(why);
  }
}
