// A build by BuildKit, from Control.Solve to its answer. The client directs it through LLBBridge: it asks for results,
// returns one of them, and that becomes the image. A client that names a frontend at once gets the same without asking.

import { Closing } from "../../../../build/bindings/types";
import { Call, Follower } from "../../call";
import { Image, ParsedImage } from "../../image/image";
import { Claims } from "../../image/layers/claims";
import { ProgressStream } from "../../image/progress-stream";
import { imageStore } from "../../image/store";
import { Json } from "../../json/json";
import { JsonWriter } from "../../json/writer";
import { openCalls } from "../../open-calls";
import { engine } from "../../state";
import { Answer } from "../questions/answer";
import { due } from "../caches/due";
import { DESCRIBE, describeAnswer } from "../questions/describe";
import { withInlineCache } from "../inline-cache";
import { CredentialsSource } from "../credentials";
import { BuildFacts } from "../run/build-facts";
import { Build } from "../run/build-work";
import { ClientCache, LocalSource } from "../kept-cache";
import { CacheTargets, lack, localSources, otherSources } from "./options/cache-options";
import { connections } from "./connections";
import { FrontendOptions } from "./options/frontend-options";
import {
  answer,
  answerError,
  CallError,
  Code,
  noResult,
  notBuilt,
  objectIn,
  rawDefinition,
  shortened,
  unknownError,
} from "./grpc-reply";
import { FileQuestion } from "./gateway/file-question";
import { Question } from "./gateway/question";
import { Questions } from "./gateway/questions";
import { ResultPlaces } from "./gateway/result-places";
import { credentialsOn, SessionCredentials } from "./session/credentials";
import { directoriesOf } from "./session/directories";
import { SessionFiles } from "./session/files";
import { SessionSecrets } from "./session/secrets";
import { Session, SessionClient, sessions, SessionWait } from "./session/sessions";
import { Recording, recordingOf } from "./history/recording";
import { StepLogs } from "./history/step-logs";
import { CacheExport } from "./outputs/cache-export";
import { exportsOf } from "./outputs/export-of";
import { ExportClient, Exporting, ExportNeeds } from "./outputs/exporting";
import { Output, outputsIn, outputsProblem } from "./outputs/output";
import { SeveralExports } from "./outputs/several-exports";
import { sourceDetail } from "./source-detail";
import { BuildClient, CANCELED, VertexProgress } from "./progress/vertex-progress";
import { Watchers } from "./progress/watchers";

const FRONTEND = "dockerfile.v0";
/** Of one build: each stays claimed up to its end, with the steps that its watchers see. */
const MOST_RESULTS: i32 = 100;

/** Waits for a result. */
export interface ResultClient {
  /** `id`: by which the client may return it. `image`: the image's own. */
  resultMade(id: string, image: string): void;
  /** What it asked about the Dockerfile. */
  resultAnswered(answer: Answer): void;
  resultMissing(error: CallError): void;
}

/** Knows which builds are under way. */
export interface SolveOwner {
  solveOver(solve: Solve): void;
}

export class Solve extends Follower implements BuildClient, SessionClient, ExportClient {
  readonly watchers: Watchers;
  /** By the ids that the client knows. */
  private readonly results: Map<string, Image> = new Map<string, Image>();
  /** By the same ids, the images of all stages, if the cache shall have them. */
  private readonly stages: Map<string, Image[]> = new Map<string, Image[]>();
  private readonly claims: Claims = new Claims();
  /** What the client asks beside results. */
  private readonly questions: Questions = new Questions();
  private readonly places: ResultPlaces = new ResultPlaces();
  private readonly outputs: Output[];
  private readonly targets: CacheTargets;
  /** Types of caches that cannot be imported. */
  private readonly sources: string[];
  /** Caches in directories of the client. */
  private readonly directories: LocalSource[];
  /** Id of the client's session. */
  private readonly session: string;
  private build: Build | null = null;
  private exporting: Exporting | null = null;
  private waiting: SessionWait | null = null;
  private asker: ResultClient | null = null;
  private wanted: FrontendOptions | null = null;
  private facts: BuildFacts | null = null;
  private failure: CallError | null = null;
  /** Null if it goes into no history. */
  private recording: Recording | null = null;
  /** How many results the client has asked for. */
  private asked: i32 = 0;
  private over: bool = false;

  constructor(
    readonly ref: string,
    /** Its Control.Solve. */
    private readonly call: Call,
    message: Json,
    private readonly owner: SolveOwner,
  ) {
    super();
    this.outputs = outputsIn(message);
    this.targets = new CacheTargets(message);
    this.sources = otherSources(message);
    this.directories = localSources(message);
    this.session = message.stringOf("Session");
    this.watchers = new Watchers(connections.of(call));
  }

  begin(message: Json): void {
    this.call.follower = this;
    openCalls.add(this.call);
    if (objectIn(message, "Definition").find("def") !== null) return this.fail(rawDefinition());
    const problem = outputsProblem(this.outputs);
    if (problem !== null) return this.fail(problem);
    if (this.targets.problem !== null) return this.fail(this.targets.problem!);
    this.recording = recordingOf(this.ref, message);
    if (this.recording !== null) this.watchers.logs = new StepLogs();
    const frontend = message.stringOf("Frontend");
    if (frontend.length == 0) return;
    this.ask(frontend, objectIn(message, "FrontendAttrs"), objectIn(message, "FrontendInputs"), new Direct(this));
  }

  get isOver(): bool {
    return this.over;
  }

  /** The client has hung up. */
  closed(_call: Call, _why: Closing): void {
    this.end();
    this.recordFailure(new CallError(Code.Cancelled, CANCELED));
  }

  /** Builds what the frontend is asked for. `inputs`: results of other builds, by the names that options have for them. */
  ask(frontend: string, options: Json, inputs: Json, asker: ResultClient): void {
    const recording = this.recording;
    if (recording !== null) recording.asked(frontend, options);
    if (frontend != FRONTEND) return asker.resultMissing(notBuilt(`the frontend ${frontend}`));
    if (this.asker !== null) return asker.resultMissing(notBuilt("more than one result at a time"));
    this.asked += 1;
    if (this.asked > MOST_RESULTS)
      return asker.resultMissing(new CallError(Code.ResourceExhausted, "too many results"));
    const wanted = new FrontendOptions(options, inputs);
    const problem = wanted.problem;
    if (problem !== null) return asker.resultMissing(problem);
    if (wanted.options.question == DESCRIBE) return asker.resultAnswered(describeAnswer());
    for (let i = 0; i < this.sources.length; i++) lack(wanted.options, this.sources[i]);
    this.asker = asker;
    this.wanted = wanted;
    const session = sessions.find(this.session);
    if (session !== null) return this.sessionCame(session);
    const waiting = new SessionWait(this.session, this);
    this.waiting = waiting;
    sessions.wait(waiting);
  }

  sessionCame(session: Session): void {
    this.waiting = null;
    session.isUsed = true;
    const wanted = this.wanted!;
    if (this.over) return;
    const problem = wanted.bindTo(session);
    if (problem.length > 0) return this.resultMissing(unknownError(problem));
    const progress = new VertexProgress(new ProgressStream(this.call), this.ref, this.watchers, this);
    const facts = new BuildFacts(wanted.options, progress, new SessionCredentials(session), this.call.version);
    facts.secrets = new SessionSecrets(session);
    facts.directories = directoriesOf(session);
    for (let i = 0; i < this.directories.length; i++) {
      facts.clientCaches.push(new ClientCache(session.request, this.directories[i]));
    }
    this.facts = facts;
    if (wanted.inSession) wanted.options.files = new SessionFiles(session, wanted, progress);
    const build = new Build(this.call, wanted.options, facts);
    this.build = build;
    build.begin();
  }

  sessionMissed(): void {
    this.waiting = null;
    this.resultMissing(unknownError(`no active session for ${this.session}: context deadline exceeded`));
  }

  buildDone(image: Image): void {
    this.build = null;
    if (this.over) return;
    const kept = this.keep(image);
    const id = engine.ids.next();
    this.results.set(id, kept);
    const local = this.targets.local;
    if (local !== null && local.all) this.keepStages(id);
    const asker = this.asker;
    this.asker = null;
    if (asker !== null) asker.resultMade(id, kept.id);
  }

  /** Nothing removes it, nor the steps that it is made of, before the build is over. */
  private keep(image: Image): Image {
    const kept = imageStore.add(image);
    this.claims.claimStack(kept.chain);
    const line = imageStore.lineOf(kept);
    for (let i = 0; i < line.length; i++) this.claims.hold(line[i]);
    return kept;
  }

  private keepStages(id: string): void {
    const made = this.facts!.madeImages;
    for (let i = 0; i < made.length; i++) made[i] = this.keep(made[i]);
    this.stages.set(id, made);
  }

  buildAnswered(answer: Answer): void {
    this.build = null;
    const asker = this.asker;
    this.asker = null;
    if (asker !== null) asker.resultAnswered(answer);
  }

  buildFailed(message: string, line: i32, endLine: i32): void {
    this.build = null;
    // Shortened, so that it is found again in what the client makes of it (`lastError`).
    const error = unknownError(shortened(message));
    const facts = this.facts;
    if (line > 0 && facts !== null) {
      error.details.push(sourceDetail(facts.options.dockerfile, facts.dockerfile, line, endLine));
    }
    this.failure = error;
    this.resultMissing(error);
  }

  hasResult(id: string): bool {
    return this.results.has(id);
  }

  /** For an image that the client asks about. */
  get credentials(): CredentialsSource {
    return credentialsOn(sessions.find(this.session));
  }

  question(question: Question): void {
    this.questions.add(question);
  }

  /** About a file of a result. */
  lookAt(question: FileQuestion): void {
    const id = question.ref;
    if (!this.results.has(id)) return question.cancel(noResult(id));
    question.lookIn(this.places.of(id, this.results.get(id).chain));
    this.questions.add(question);
  }

  /** The client returns one of its results; an empty id is none. */
  returned(id: string): CallError | null {
    if (this.exporting !== null) return unknownError("the build has returned its result already");
    if (id.length == 0) this.exported(new Map<string, string>());
    else if (!this.results.has(id)) return unknownError(`unknown reference ${id}`);
    else return this.exportAs(id);
    return null;
  }

  fail(error: CallError): void {
    if (this.over) return;
    this.end();
    this.recordFailure(error);
    answerError(this.call, error);
  }

  /** The error that the client hands back, with what is known of it. */
  lastError(given: CallError): CallError {
    const failure = this.failure;
    if (failure !== null && given.message.includes(failure.message)) given.details = failure.details;
    return given;
  }

  private recordFailure(error: CallError): void {
    const recording = this.recording;
    if (recording !== null) recording.failed(error, this.watchers.told);
  }

  private resultMissing(error: CallError): void {
    const asker = this.asker;
    this.asker = null;
    if (asker !== null) asker.resultMissing(error);
  }

  private exportAs(id: string): CallError | null {
    const image = this.results.get(id);
    const made = this.targets.inline ? withInlineCache(image) : new ParsedImage(image, "");
    const exported = made.image;
    if (exported === null) return unknownError(made.error);
    const cached = [image];
    const stages = this.stages.has(id) ? this.stages.get(id) : [];
    for (let i = 0; i < stages.length; i++) cached.push(stages[i]);
    this.export(exported, cached);
    return null;
  }

  /** `cached`: what the cache has, if there is one beside the image. */
  private export(image: Image, cached: Image[]): void {
    const needs: ExportNeeds[] = [];
    for (let i = 0; i < this.outputs.length; i++) needs.push(this.needsOf(i, i > 0 ? i.toString() : ""));
    let exporting = exportsOf(image, this.outputs, needs);
    const local = this.targets.local;
    if (local !== null)
      exporting = new SeveralExports([exporting, new CacheExport(cached, local, this.needsOf(0, "ed cache"))]);
    this.exporting = exporting;
    exporting.begin(this);
  }

  private needsOf(output: i32, name: string): ExportNeeds {
    const session = sessions.find(this.session);
    const stream = new ProgressStream(this.call);
    const progress = new VertexProgress(stream, `${this.ref} export${name}`, this.watchers, this);
    return new ExportNeeds(this.call, session, credentialsOn(session), progress, output);
  }

  exported(facts: Map<string, string>): void {
    if (this.over) return;
    this.exporting = null;
    this.end();
    const recording = this.recording;
    if (recording !== null) recording.done(facts, this.watchers.told);
    const json = new JsonWriter().beginObject();
    json.key("ExporterResponse").beginObject();
    const names = facts.keys();
    for (let i = 0; i < names.length; i++) json.stringField(names[i], facts.get(names[i]));
    answer(this.call, json.endObject().endObject());
  }

  exportFailed(why: string): void {
    this.exporting = null;
    this.fail(unknownError(shortened(why)));
  }

  private cancel(): void {
    const build = this.build;
    this.build = null;
    if (build !== null) build.clientGone();
    const waiting = this.waiting;
    this.waiting = null;
    if (waiting !== null) waiting.stop();
    const exporting = this.exporting;
    this.exporting = null;
    if (exporting !== null) exporting.cancel();
    this.resultMissing(new CallError(Code.Cancelled, CANCELED));
  }

  /** What it still does is given up: nobody would use it. */
  private end(): void {
    this.over = true;
    this.cancel();
    this.questions.end(CANCELED);
    this.places.drop();
    this.claims.release();
    due.changed();
    this.watchers.end();
    this.owner.solveOver(this);
  }
}

/** A build that the client does not direct: what the frontend makes is the result. */
class Direct implements ResultClient {
  constructor(private readonly solve: Solve) {}

  resultMade(id: string, _image: string): void {
    this.solve.returned(id);
  }

  /** It is not told what the answer is: BuildKit tells it only to clients that direct their build. */
  resultAnswered(_answer: Answer): void {
    this.solve.returned("");
  }

  resultMissing(error: CallError): void {
    this.solve.fail(error);
  }
}
