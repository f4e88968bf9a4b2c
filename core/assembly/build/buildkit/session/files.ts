// The files of a build by BuildKit: the client's session has the Dockerfile in one directory, and the context in another.
// Files that a `.dockerignore` names are not even asked for.

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
  SessionFiles as WantedFiles,
} from "../../../../../build/bindings/types";
import { abandon, askContent } from "../../../ask";
import { lacksPath } from "../../../failure/missing";
import { failureText } from "../../../failure/text";
import { Ignored } from "../../../ignored";
import { tarLimits } from "../../../image/limits";
import { Task } from "../../../task";
import { decodeUtf8 } from "../../../text/utf8";
import { MAX_DOCKERFILE } from "../../dockerfile/dockerfile";
import { IgnoreFile, parseIgnoreFile } from "../../ignore/ignore-file";
import { BuildOptions, FilesClient, FilesSource } from "../../options";
import { NOT_DRY } from "../../run/not-dry";
import { Place } from "../../run/place";
import { FrontendOptions } from "../options/frontend-options";
import { ContextIgnores, IGNORE_FILE, IgnoresClient } from "./context-ignores";
import { KeptFiles } from "./kept-files";
import { Session } from "./sessions";
import { VertexProgress } from "../progress/vertex-progress";

export const FILE_SYNC = "/moby.filesync.v1.FileSync/DiffCopy";

enum Step {
  Place,
  Definition,
  Dockerfile,
  /** The same file in lower case, if no other name was given. */
  Lower,
  /** The Dockerfile may have a `.dockerignore` of its own. */
  OwnIgnores,
  Context,
}

export class SessionFiles extends FilesSource implements IgnoresClient {
  /** Path of the Dockerfile in its directory. */
  private name: string = "";
  private dockerfile: string = "";
  private readonly definition: Place = new Place(null);
  private readonly ignores: ContextIgnores;
  private readonly fetching: Fetching = new Fetching(this);
  private readonly kept: KeptFiles = new KeptFiles();
  private op: u64 = 0;
  private over: bool = false;
  private excludes: string[] = [];
  private context: Place | null = null;
  private client: FilesClient | null = null;

  constructor(
    private readonly session: Session,
    private readonly wanted: FrontendOptions,
    private readonly progress: VertexProgress,
  ) {
    super();
    this.ignores = new ContextIgnores(session, wanted.context, progress);
  }

  begin(options: BuildOptions, context: Place, client: FilesClient): void {
    this.name = options.dockerfile;
    this.context = context;
    this.client = client;
    if (!this.session.offers(FILE_SYNC)) return this.fail("failed to read dockerfile: no local sources enabled");
    this.definition.mount(this.fetching, Step.Place);
    this.ignores.begin();
  }

  fetchContext(): void {
    this.progress.internal("[internal] load build context", "context");
    const directory = this.wanted.context;
    this.fetch(Step.Context, this.context!, directory, this.excludes, [], this.kept.begin(this.session, directory));
  }

  cancel(): void {
    if (this.op != 0) abandon(new Ignored(), 0, this.op);
    this.close();
  }

  /** The client has sent so many bytes of what is being fetched. */
  moved(bytes: u64): void {
    if (!this.over) this.progress.moved(bytes);
  }

  /** A command has completed. */
  took(step: i32, outcome: Outcome | null, failure: Failure | null): void {
    this.op = 0;
    if (this.over) return;
    if (failure !== null && failure instanceof FailureImagined) return this.fail(NOT_DRY);
    switch (step) {
      case Step.Place:
        if (failure !== null) return this.fail(failureText(failure));
        return this.fetchDefinition();
      case Step.Definition:
        if (failure !== null) return this.fail(`failed to read dockerfile: ${failureText(failure)}`);
        return this.read(Step.Dockerfile, this.name);
      case Step.Dockerfile:
      case Step.Lower:
        return this.tookDockerfile(step, outcome, failure);
      case Step.OwnIgnores:
        return this.tookOwnIgnores(outcome, failure);
      default:
        if (failure !== null) return this.fail(`failed to load build context: ${failureText(failure)}`);
        return this.finish();
    }
  }

  private fetchDefinition(): void {
    this.progress.internal(`[internal] load build definition from ${this.name}`, "dockerfile");
    const lower = this.name.toLowerCase();
    const wanted = [this.name, `${this.name}${IGNORE_FILE}`];
    if (lower != this.name) wanted.push(lower);
    this.fetch(Step.Definition, this.definition, this.wanted.definition, [], wanted);
  }

  private tookDockerfile(step: i32, outcome: Outcome | null, failure: Failure | null): void {
    if (failure === null) {
      this.dockerfile = decodeUtf8((<OutcomeBytes>outcome!).value);
      return this.read(Step.OwnIgnores, `${this.name}${IGNORE_FILE}`);
    }
    const missing = lacksPath(failure);
    if (missing && step == Step.Dockerfile && this.name == "Dockerfile") {
      return this.read(Step.Lower, this.name.toLowerCase());
    }
    const why = missing ? `open ${this.name}: no such file or directory` : failureText(failure);
    this.fail(`failed to read dockerfile: ${why}`);
  }

  private tookOwnIgnores(outcome: Outcome | null, failure: Failure | null): void {
    if (failure !== null && !lacksPath(failure)) return this.fail(failureText(failure));
    if (failure === null) {
      const name = `${this.name}${IGNORE_FILE}`;
      const file = parseIgnoreFile(decodeUtf8((<OutcomeBytes>outcome!).value), name);
      if (file.problem.length > 0) return this.fail(file.problem);
      this.ignores.skip();
      return this.ignoresCame(file);
    }
    this.progress.end("");
    this.ignores.wait(this);
  }

  ignoresCame(file: IgnoreFile): void {
    this.ignored = file;
    this.excludes = file.texts();
    this.progress.end("");
    this.client!.definitionCame(this.dockerfile);
  }

  ignoresMissing(why: string): void {
    this.fail(why);
  }

  private finish(): void {
    this.kept.end(true);
    this.close();
    this.progress.end("");
    this.client!.contextCame();
  }

  private fail(why: string): void {
    this.close();
    this.client!.filesMissing(why);
  }

  private close(): void {
    if (this.over) return;
    this.over = true;
    this.kept.end(false);
    this.definition.drop();
    this.ignores.cancel();
  }

  private fetch(
    step: i32,
    into: Place,
    directory: string,
    excludes: string[],
    follows: string[],
    memory: string | null = null,
  ): void {
    const files = new WantedFiles(this.session.request, directory, [], excludes, follows, memory);
    const source = new EntriesSourceSession(files);
    this.op = askContent(
      this.fetching,
      step,
      new ContentCommandExtract(new Extract(into.at("/"), source, false, null, tarLimits(), true)),
    );
  }

  private read(step: i32, path: string): void {
    const file = new ReadFile(this.definition.at(path), MAX_DOCKERFILE, null);
    this.op = askContent(this.fetching, step, new ContentCommandReadFile(file));
  }
}

/** Its commands. */
class Fetching extends Task {
  constructor(private readonly files: SessionFiles) {
    super();
  }

  progressed(_step: i32, progress: Progress): void {
    this.files.moved(progress.current);
  }

  ended(step: i32, outcome: Outcome | null, failure: Failure | null): void {
    this.files.took(step, outcome, failure);
  }
}
