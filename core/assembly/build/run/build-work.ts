// A build: receives the context, reads the Dockerfile, makes the stages that the target needs, and names the result.

import {
  BodyTag,
  ContentCommandExtract,
  ContentCommandReadFile,
  EntriesSource,
  EntriesSourceBody,
  Extract,
  Failure,
  FailureImagined,
  Outcome,
  OutcomeBytes,
  ReadFile,
} from "../../../../build/bindings/types";
import { abandon, askContent } from "../../ask";
import { Call } from "../../call";
import { lacksPath } from "../../failure/missing";
import { failureText } from "../../failure/text";
import { Ignored } from "../../ignored";
import { brokenTar } from "../../image/archive/archive-reader";
import { Image } from "../../image/image";
import { tarLimits } from "../../image/limits";
import { StreamWriter } from "../../image/progress-stream";
import { imageStore } from "../../image/store";
import { giveName } from "../../image/tag";
import { badParameter, internal, notSupported, Refusal } from "../../refusal";
import { Task } from "../../task";
import { decodeUtf8 } from "../../text/utf8";
import { due } from "../caches/due";
import { notedUses } from "../caches/noted-uses";
import { Dockerfile, MAX_DOCKERFILE, parseDockerfile } from "../dockerfile/dockerfile";
import { emptyContinuations, Warning, warningLines } from "../dockerfile/warning";
import { CheckOptions } from "../lint/check-options";
import { Findings } from "../lint/findings";
import { LateChecks } from "../lint/late-checks";
import { lintOf } from "../lint/lint";
import { Answer } from "../questions/answer";
import { LINT, OUTLINE, TARGETS } from "../questions/describe";
import { lintAnswer } from "../questions/lint-answer";
import { outlineAnswer } from "../questions/outline";
import { targetsAnswer } from "../questions/targets";
import { leavesContext } from "../evaluation/context-path";
import { pathFrom } from "../evaluation/work-directory";
import { frontendOf, frontendProblem, SYNTAX } from "../frontend";
import { giveArguments } from "../given-arguments";
import { parseIgnoreFile } from "../ignore/ignore-file";
import { BuildOptions, FilesClient } from "../options";
import { stagesOf } from "../stages/stages";
import { BuildFacts } from "./build-facts";
import { escaped } from "./paths";
import { BuildProgress } from "./build-progress";
import { CacheImports, ImportsClient } from "./cache-imports";
import { NOT_DRY } from "./not-dry";
import { StagesClient, StagesWork } from "./stage/stages-work";
import { GitContext } from "./web/git-context";
import { RemoteClient, RemoteContext } from "./web/remote-context";
import { OpenWork } from "./work";

const IGNORE_FILE = ".dockerignore";
/** A build argument that says of the rules what `# check=` would. */
const CHECKS = "BUILDKIT_DOCKERFILE_CHECK";

enum Step {
  Place,
  Context,
  /** The file of this Dockerfile alone. */
  OwnIgnores,
  Ignores,
  Dockerfile,
  /** The same file in lower case, which Docker looks for if no name was given. */
  Lower,
}

export class Build extends Task implements StreamWriter, StagesClient, RemoteClient, FilesClient, ImportsClient {
  private readonly stream: BuildProgress;
  /** The command in flight; 0 if there is none. */
  private op: u64 = 0;
  private stages: StagesWork | null = null;
  private remote: OpenWork | null = null;
  private warnings: Warning[] = [];
  /** The builder's cache stays as it is until it is over. */
  private isUnderWay: bool = false;

  constructor(
    private readonly call: Call,
    private readonly options: BuildOptions,
    private readonly facts: BuildFacts,
  ) {
    super();
    this.stream = facts.stream;
  }

  begin(): void {
    this.isUnderWay = true;
    due.buildBegun();
    this.stream.begin(this);
    this.facts.context.mount(this, Step.Place);
  }

  ended(step: i32, outcome: Outcome | null, failure: Failure | null): void {
    this.op = 0;
    if (this.facts.over) return;
    switch (step) {
      case Step.Place:
        if (failure !== null) return this.refuse(internal(failureText(failure)));
        return this.receive();
      case Step.Context:
        if (failure !== null) return this.refuse(internal(brokenTar(failureText(failure))));
        return this.readIgnores();
      case Step.OwnIgnores:
      case Step.Ignores:
        return this.tookIgnores(step, outcome, failure);
      default:
        return this.tookDockerfile(step, outcome, failure);
    }
  }

  /** The client has disconnected: the build is cancelled. */
  clientGone(): void {
    const stages = this.stages;
    if (stages !== null) stages.cancel();
    this.stream.cancelled();
    if (this.facts.over) return;
    if (this.op != 0) abandon(new Ignored(), 0, this.op);
    const remote = this.remote;
    if (remote !== null) remote.cancel();
    this.close();
  }

  stagesMade(): void {
    const image = this.facts.imageOf(this.facts.stages.target);
    if (image === null) return this.fail("No image was generated. Is your Dockerfile empty?");
    this.stream.warn(this.facts.args.warning());
    this.stream.built(image);
    this.name(image);
    this.close();
    this.stream.conclude(image);
  }

  stagesEnded(): void {
    this.close();
  }

  stagesFailed(why: string, code: i32): void {
    this.stream.fail(why, code);
  }

  remoteMoved(shown: string, current: u64, total: u64): void {
    this.stream.amount(shown, "Downloading context", "", current, total);
  }

  remoteArrived(shown: string, size: u64): void {
    this.stream.amount(shown, "Downloading context", "", size, 0);
  }

  remoteDockerfile(bytes: Uint8Array): void {
    this.remote = null;
    this.facts.hasContext = false;
    this.parse(decodeUtf8(bytes));
  }

  remoteFiles(): void {
    this.remote = null;
    this.readIgnores();
  }

  remoteMissing(refusal: Refusal): void {
    this.remote = null;
    this.refuse(refusal);
  }

  definitionCame(dockerfile: string): void {
    this.parse(dockerfile);
  }

  contextWanted(): void {
    this.options.files!.fetchContext();
  }

  contextCame(): void {
    this.facts.lacksContext = false;
    const stages = this.stages;
    if (stages === null) this.beginStages();
    else stages.contextCame();
  }

  filesMissing(why: string): void {
    const stages = this.stages;
    if (stages !== null) stages.cancel();
    this.refuse(internal(why));
  }

  private receive(): void {
    const files = this.options.files;
    if (files !== null) return files.begin(this.options, this.facts.context, this);
    const address = this.options.remote;
    if (address !== null) {
      const remote = new RemoteContext(address, this.facts.context, this);
      this.remote = remote;
      return remote.begin();
    }
    const git = this.options.git;
    if (git !== null) {
      const remote = new GitContext(git, this.options.keepsGit, this.facts.context, this);
      this.remote = remote;
      return remote.begin();
    }
    const archive = this.options.archive;
    if (archive !== null) return this.unpack(archive);
    if (this.call.request.body.tag == BodyTag.None) return this.read(Step.Dockerfile, this.options.dockerfile);
    this.unpack(new EntriesSourceBody(this.call.id));
  }

  private unpack(archive: EntriesSource): void {
    const extract = new Extract(this.facts.context.at("/"), archive, false, null, tarLimits(), true);
    this.op = askContent(this, Step.Context, new ContentCommandExtract(extract));
  }

  private read(step: i32, path: string): void {
    this.op = askContent(
      this,
      step,
      new ContentCommandReadFile(new ReadFile(this.facts.context.at(path), MAX_DOCKERFILE, null)),
    );
  }

  /** BuildKit asks a session for no files that are ignored. Of a context that came in another way, copies see all of them. */
  private readIgnores(): void {
    if (this.options.onlyCaches) return this.readDockerfile();
    this.read(Step.OwnIgnores, this.options.dockerfile + IGNORE_FILE);
  }

  /**
   * Clients leave out of the context what the `.dockerignore` ignores, except for files that the engine reads: no copy sees
   * them then (as in Docker, which does not look at the other patterns). With a malformed pattern it hides nothing, as
   * Docker: the client has read the same file. A Dockerfile's own file comes first, as in BuildKit. Clients of the classic
   * builder do not know it: all its patterns count here.
   */
  private tookIgnores(step: i32, outcome: Outcome | null, failure: Failure | null): void {
    const isOwn = step == Step.OwnIgnores;
    if (failure !== null && !lacksPath(failure)) return this.refuse(unreadable(failure));
    if (isOwn && failure !== null) return this.read(Step.Ignores, IGNORE_FILE);
    const dockerfile = pathFrom("/", this.options.dockerfile).slice(1);
    const text = failure !== null ? "" : decodeUtf8((<OutcomeBytes>outcome!).value);
    const file = parseIgnoreFile(text, isOwn ? dockerfile + IGNORE_FILE : IGNORE_FILE);
    const isMalformed = file.problem.length > 0;
    if (isOwn && isMalformed) return this.refuse(badParameter(file.problem));
    const read = [IGNORE_FILE, dockerfile];
    if (isOwn) this.facts.hidden = file.texts();
    else
      for (let i = 0; i < read.length; i++)
        if (!isMalformed && file.ignores(read[i])) this.facts.hidden.push(escaped(read[i]));
    this.readDockerfile();
  }

  private readDockerfile(): void {
    const name = this.options.dockerfile;
    if (leavesContext(name)) return this.refuse(internal(`forbidden path outside the build context: ${name} ()`));
    this.read(Step.Dockerfile, name);
  }

  private tookDockerfile(step: i32, outcome: Outcome | null, failure: Failure | null): void {
    const name = this.options.dockerfile;
    if (failure === null) return this.parse(decodeUtf8((<OutcomeBytes>outcome!).value));
    if (!lacksPath(failure)) return this.refuse(internal(failureText(failure)));
    if (step == Step.Dockerfile && name == "Dockerfile") return this.read(Step.Lower, name.toLowerCase());
    this.refuse(internal(`Cannot locate specified Dockerfile: ${name}`));
  }

  private parse(text: string): void {
    const options = this.options;
    this.facts.dockerfile = text;
    const file = parseDockerfile(text, this.options.dockerfile);
    const unknown = this.takeFrontend(file);
    if (unknown.length > 0) return this.refuse(notSupported(unknown));
    if (options.question == LINT) return this.answer(this.lintedAnswer(file));
    if (file.problem.length > 0) {
      this.stream.misread(file.problemLine, file.problemEnd);
      return this.refuse(badParameter(file.problem));
    }
    const facts = this.facts;
    // Before anything is done for each of them.
    const tooMany = facts.limits.addSteps(
      file.instructions.length + options.labels.keys.length + options.contexts.length,
    );
    if (tooMany.length > 0) return this.refuse(badParameter(tooMany));
    facts.escape = file.escape;
    this.warnings = file.warnings;
    giveArguments(this.options, facts.args);
    facts.stages = stagesOf(file, facts.args, this.options.target, this.options.contexts, facts.budget);
    if (facts.stages.problem.length > 0) return this.refuse(badParameter(this.missingTarget()));
    const question = options.question;
    if (question == OUTLINE) return this.answer(outlineAnswer(facts.stages, facts.args, file.escape, text));
    if (question == TARGETS) return this.answer(targetsAnswer(facts.stages, text));
    const broken = this.lint(file);
    if (broken.length > 0) return this.refuse(badParameter(broken));
    this.stream.planned(facts.stages.count);
    const imports = new CacheImports(facts, this);
    facts.imports = imports;
    imports.begin();
  }

  /** Clients of BuildKit are told what they may have meant. */
  private missingTarget(): string {
    const stages = this.facts.stages;
    return stages.problem + (this.options.onlyCaches ? stages.like(this.options.target, stages.all.length) : "");
  }

  /** Without any of them, a client of the classic builder wants no cache at all. BuildKit's own counts besides. */
  cachesKnown(): void {
    const facts = this.facts;
    if (facts.over) return;
    const lacksAll = this.options.cacheFrom.length > 0 && facts.cacheSources.length == 0;
    if (lacksAll && !this.options.onlyCaches) this.options.useCache = false;
    this.build();
  }

  /** For the classic builder the directive is a comment. Returns why the build ends here; empty if it goes on. */
  private takeFrontend(file: Dockerfile): string {
    const name = this.options.onlyCaches ? frontendOf(this.options.buildArgs.stringOf(SYNTAX), file.syntax) : "";
    if (name.length == 0) return "";
    const problem = frontendProblem(name);
    if (problem.length == 0) this.stream.tookFrontend(name);
    return problem;
  }

  /** Tells clients of BuildKit what is surely not meant. Returns why the build ends here; empty if it goes on. */
  private lint(file: Dockerfile): string {
    if (!this.options.onlyCaches) return "";
    const facts = this.facts;
    const findings = this.findingsIn(file);
    if (findings.lacksImages) facts.checks = new LateChecks(file, this.options, findings, facts.stages);
    this.stream.found(findings.all, this.options.dockerfile, facts.dockerfile);
    return findings.options.problem.length > 0 ? findings.options.problem : findings.error;
  }

  private findingsIn(file: Dockerfile): Findings {
    const given = this.options.buildArgs.stringOf(CHECKS);
    return lintOf(file, this.facts.dockerfile, new CheckOptions(given.length > 0 ? given : file.check), this.options);
  }

  /** A file that cannot be read is told what is wrong with it. */
  private lintedAnswer(file: Dockerfile): Answer {
    const name = this.options.dockerfile;
    if (file.problem.length > 0) return lintAnswer([], file.problem, name, this.facts.dockerfile);
    const findings = this.findingsIn(file);
    const problem = findings.options.problem.length > 0 ? findings.options.problem : findings.error;
    return lintAnswer(findings.all, problem, name, this.facts.dockerfile);
  }

  private answer(answer: Answer): void {
    this.close();
    this.stream.answered(answer);
  }

  private build(): void {
    const facts = this.facts;
    facts.labelNames = this.options.labels.keys.slice(0).sort();
    facts.total = this.count();
    this.stream.warn(emptyContinuations(this.warnings));
    this.stream.warn(warningLines(this.warnings));
    const globals = facts.stages.globals;
    for (let i = 0; i < globals.length; i++) {
      this.stream.announce(i + 1, facts.total, globals[i].instruction.original);
      if (globals[i].problem.length > 0) return this.fail(globals[i].problem);
    }
    facts.lacksContext = this.options.files !== null;
    if (facts.lacksContext && facts.stages.takeContext) this.contextWanted();
    else this.beginStages();
  }

  private beginStages(): void {
    const stages = new StagesWork(this.facts, this);
    this.stages = stages;
    stages.begin(this.call, this.facts.stages.globals.length);
  }

  private count(): i32 {
    const all = this.facts.stages.all;
    const needed = this.facts.stages.needed;
    let total = this.facts.stages.globals.length + this.options.labels.keys.length;
    for (let i = 0; i < needed.length; i++) total += all[needed[i]].instructions.length + 1;
    return total;
  }

  private name(image: Image): void {
    const tags = this.options.tags;
    // A client may have removed it meanwhile.
    const kept = imageStore.add(image);
    if (!this.options.onlyCaches) imageStore.show(kept);
    for (let i = 0; i < tags.length; i++) {
      giveName(kept, tags[i]);
      this.stream.tagged(tags[i].familiar);
    }
  }

  private fail(why: string): void {
    this.close();
    this.stream.fail(why, 0);
  }

  private refuse(refusal: Refusal): void {
    this.close();
    this.stream.refuse(refusal);
  }

  /** Only the cache stays. */
  private close(): void {
    if (this.isUnderWay) due.buildOver();
    this.isUnderWay = false;
    this.facts.over = true;
    const files = this.options.files;
    if (files !== null) files.cancel();
    const imports = this.facts.imports;
    if (imports !== null) imports.cancel();
    this.facts.context.drop();
    this.facts.claims.release();
    notedUses.write();
  }
}

function unreadable(failure: Failure): Refusal {
  if (failure instanceof FailureImagined) return notSupported(NOT_DRY);
  return internal(failureText(failure));
}
