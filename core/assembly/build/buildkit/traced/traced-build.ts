// POST /build with `version=2` (surface §2.22): BuildKit for clients that make no calls. The context is the body, on a web
// server or in a git repository, or in a session; that may also have credentials for registries.

import { Call } from "../../../call";
import { Image, ParsedImage } from "../../../image/image";
import { Claims } from "../../../image/layers/claims";
import { ProgressStream, StreamWriter } from "../../../image/progress-stream";
import { imageStore } from "../../../image/store";
import { Json } from "../../../json/json";
import { JsonWriter } from "../../../json/writer";
import { badParameter, Refusal } from "../../../refusal";
import { BuildCredentials, CredentialsSource } from "../../credentials";
import { due } from "../../caches/due";
import { withInlineCache } from "../../inline-cache";
import { BuildOptions } from "../../options";
import { EntriesSourceBody } from "../../../../../build/bindings/types";
import { Answer } from "../../questions/answer";
import { BuildFacts } from "../../run/build-facts";
import { Build } from "../../run/build-work";
import { FrontendOptions } from "../options/frontend-options";
import { CallError, Code, unknownError } from "../grpc-reply";
import { Recording } from "../history/recording";
import { recordRequested } from "../history/requested";
import { StepLogs } from "../history/step-logs";
import { exportOf } from "../outputs/export-of";
import { ExportClient, Exporting, ExportNeeds } from "../outputs/exporting";
import { Output } from "../outputs/output";
import { TraceStream } from "../progress/trace-stream";
import { BuildClient, CANCELED, VertexProgress } from "../progress/vertex-progress";
import { offersCredentials, SessionCredentials } from "../session/credentials";
import { SessionFiles } from "../session/files";
import { SessionSecrets } from "../session/secrets";
import { Session, SessionClient, sessions, SessionWait } from "../session/sessions";
import { tracedBuilds, TracedBuild } from "./traced-builds";
import { LATE, Upload, UploadClient, uploadedFor, uploads, UploadWait } from "./uploads";

const RESULT = "moby.image.id";
const IMAGE = "containerimage.config.digest";

export function beginTraced(call: Call, options: BuildOptions): Refusal | null {
  const session = call.query.first("session");
  if (options.inSession && session.length == 0)
    return badParameter("a context of the client's session needs a session");
  const uploaded = uploadedFor(call.query.first("buildid"));
  if (uploaded.length > 0) {
    uploads.offer(uploaded, call);
    return null;
  }
  options.onlyCaches = true;
  // BuildKit keeps no containers, whatever the client asks for.
  options.remove = true;
  options.forceRemove = true;
  // The result gets its names when it is exported.
  const given = options.output;
  const output = given === null ? new Output("moby", Json.object()) : given;
  output.references = options.tags;
  options.tags = [];
  if (output.pushProblem.length > 0) return badParameter(output.pushProblem);
  const build = new BuildOnStream(call, options, output, session, call.query.first("buildid"));
  build.begin();
  return null;
}

class BuildOnStream
  extends TracedBuild
  implements BuildClient, SessionClient, ExportClient, StreamWriter, UploadClient
{
  private readonly stream: ProgressStream;
  /** Set when it begins. */
  private progress: VertexProgress | null = null;
  private trace: TraceStream | null = null;
  private recording: Recording | null = null;
  /** Of the request's header; null once it is known who gives them. */
  private given: BuildCredentials | null;
  /** Those of the session, or of the header. */
  private credentials: CredentialsSource | null = null;
  private build: Build | null = null;
  private exporting: Exporting | null = null;
  private waiting: SessionWait | null = null;
  private uploading: UploadWait | null = null;
  /** Brings the context. */
  private upload: Upload | null = null;
  private found: Session | null = null;
  private readonly claims: Claims = new Claims();

  constructor(
    private readonly call: Call,
    private readonly options: BuildOptions,
    private readonly output: Output,
    /** Id of the client's session; empty for none. */
    private readonly session: string,
    id: string,
  ) {
    super(id);
    this.stream = new ProgressStream(call);
    // The header is erased once the request has been accepted.
    const given = new BuildCredentials();
    given.read(call.request.headers);
    this.given = given;
  }

  begin(): void {
    tracedBuilds.add(this);
    const trace = new TraceStream(this.stream, this.options.quiet);
    this.trace = trace;
    const names = this.output.references.map<string>((reference) => reference.familiar).join(",");
    this.recording = recordRequested(this.options, names);
    trace.logs = new StepLogs();
    const name = `build ${this.call.id.toString()}`;
    this.progress = new VertexProgress(new ProgressStream(this.call), name, trace, this);
    this.stream.begin(this);
    if (this.session.length == 0) return this.receive(null);
    const session = sessions.find(this.session);
    if (session !== null) return this.receive(session);
    const waiting = new SessionWait(this.session, this);
    this.waiting = waiting;
    sessions.wait(waiting);
  }

  sessionCame(session: Session): void {
    this.waiting = null;
    this.receive(session);
  }

  /** Credentials may be missing: images that need none can still be pulled. */
  sessionMissed(): void {
    this.waiting = null;
    if (!this.options.inSession) return this.receive(null);
    this.buildFailed(`no active session for ${this.session}: ${LATE}`, 0, 0);
  }

  uploadCame(upload: Upload): void {
    this.uploading = null;
    this.upload = upload;
    this.options.archive = new EntriesSourceBody(upload.request);
    this.start(this.found);
  }

  uploadMissed(): void {
    this.uploading = null;
    this.buildFailed(LATE, 0, 0);
  }

  buildDone(image: Image): void {
    this.build = null;
    const made = this.options.inlinesCache ? withInlineCache(image) : new ParsedImage(image, "");
    const exported = made.image;
    if (exported === null) return this.buildFailed(made.error, 0, 0);
    this.claim(imageStore.add(image));
    const needs = new ExportNeeds(this.call, sessions.find(this.session), this.credentials!, this.progress!);
    const exporting = exportOf(exported, this.output, needs);
    this.exporting = exporting;
    exporting.begin(this);
  }

  /** A request asks nothing. */
  buildAnswered(_answer: Answer): void {}

  /** Files have no id. */
  exported(facts: Map<string, string>): void {
    this.exporting = null;
    this.end();
    this.release();
    this.recording!.done(facts, this.trace!.told);
    const id = facts.has(IMAGE) ? facts.get(IMAGE) : "";
    if (id.length > 0) {
      if (this.options.quiet) this.stream.text(`${id}\n`);
      else this.tellResult(id);
    }
    this.stream.end();
  }

  exportFailed(why: string): void {
    this.exporting = null;
    this.buildFailed(why, 0, 0);
  }

  buildFailed(message: string, _line: i32, _endLine: i32): void {
    this.end();
    this.release();
    this.recording!.failed(unknownError(message), this.trace!.told);
    this.stream.fail(message);
  }

  /** The client has hung up. */
  clientGone(): void {
    const waiting = this.waiting;
    this.waiting = null;
    if (waiting !== null) waiting.stop();
    const uploading = this.uploading;
    this.uploading = null;
    if (uploading !== null) uploading.stop();
    const build = this.build;
    this.end();
    if (build !== null) build.clientGone();
    this.progress!.cancelled();
    const exporting = this.exporting;
    this.exporting = null;
    if (exporting !== null) exporting.cancel();
    this.release();
    this.recording!.failed(new CallError(Code.Cancelled, CANCELED), this.trace!.told);
  }

  cancel(): void {
    this.clientGone();
    this.stream.fail(CANCELED);
  }

  private end(): void {
    this.build = null;
    tracedBuilds.drop(this);
    const upload = this.upload;
    this.upload = null;
    if (upload !== null) upload.finish();
  }

  /** What is sent to the client stays until it is over. */
  private claim(image: Image): void {
    this.claims.claimStack(image.chain);
    const line = imageStore.lineOf(image);
    for (let i = 0; i < line.length; i++) this.claims.hold(line[i]);
  }

  /** It must come after all commands about the result. */
  private release(): void {
    this.claims.release();
    due.changed();
  }

  /** Waits for the request with the context, if one brings it. */
  private receive(session: Session | null): void {
    if (session !== null) session.isUsed = true;
    if (!this.options.isUploaded) return this.start(session);
    this.found = session;
    const uploading = new UploadWait(this.id, this);
    this.uploading = uploading;
    uploads.want(uploading);
  }

  private start(session: Session | null): void {
    const options = this.options;
    if (session !== null && options.inSession) {
      options.files = new SessionFiles(session, new FrontendOptions(Json.object()), this.progress!);
    }
    const credentials = this.credentialsFor(session);
    this.credentials = credentials;
    const facts = new BuildFacts(options, this.progress!, credentials, this.call.version);
    if (session !== null) facts.secrets = new SessionSecrets(session);
    const build = new Build(this.call, options, facts);
    this.build = build;
    build.begin();
  }

  /** Those of the header count only if no session gives any. */
  private credentialsFor(session: Session | null): CredentialsSource {
    const given = this.given!;
    this.given = null;
    return session !== null && offersCredentials(session) ? new SessionCredentials(session) : given;
  }

  private tellResult(id: string): void {
    const json = new JsonWriter(true).beginObject();
    json.stringField("id", RESULT).key("aux").beginObject().stringField("ID", id).endObject();
    this.stream.send("", json.endObject().line("\r\n").finish());
  }
}
