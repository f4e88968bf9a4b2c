// What a client asks of the frontend `dockerfile.v0`: `filename`, `target`, `build-arg:NAME` and the like
// (moby/buildkit, frontend/dockerui).

import { EntriesSourceUpload, SessionUpload } from "../../../../../build/bindings/types";
import { erase } from "../../../../../build/bindings/erase";
import { hostPlatform } from "../../../image/host-platform";
import { WebAddress } from "../../../image/import/web-address";
import { parsePlatform, platformError } from "../../../image/platform";
import { Json } from "../../../json/json";
import { BuildOptions } from "../../options";
import { canBeAsked } from "../../questions/describe";
import { GitAddress, isGitContext } from "../../run/web/git-address";
import { eraseCaches, isCacheOption, mayNameKeys, takeSources } from "./cache-options";
import { ContextOptions, isContextOption, mayNameSecrets } from "./context-options";
import { CallError, notBuilt, objectIn, unknownError, unsupportedRequest } from "../grpc-reply";
import { Session } from "../session/sessions";

const ARGUMENT = "build-arg:";
const LABEL = "label:";
const ATTEST = "attest:";
/** Only told to a frontend that is an image, or about where files come from; they change nothing in the result. */
const IGNORED: string[] = ["cmdline", "source", "frontend.caps", "multi-platform"];
// A result that is an input has its config in itself.
const IGNORED_PREFIXES: string[] = ["vcs:", "local-sessionid:", "sharedkey:", "attest:provenance", "input-metadata:"];

const CONTEXT = "context";
/** An archive that the client uploads. Its path is the client's name for it. */
const UPLOADED = "http://buildkit-session/";
const UPLOAD = "/moby.upload.v1.Upload/Pull";
/**
 * Overwrites what may hold credentials and is not used: addresses of contexts with a user, a password or a query, which are
 * refused, and all about caches outside the engine but their types and references. `message`: of a Solve.
 */
export function eraseSecrets(message: Json): void {
  eraseIn(objectIn(message, "FrontendAttrs"));
  eraseIn(objectIn(message, "FrontendOpt"));
  eraseCaches(message);
}

function eraseIn(options: Json): void {
  for (let i = 0; i < options.keys.length; i++) {
    const key = options.keys[i];
    const text = options.items[i].text;
    if (isPrivate(key, text) && text.length > 0) erase(text);
  }
}

function isPrivate(key: string, text: string): bool {
  if (key == CONTEXT || isContextOption(key)) return mayNameSecrets(text);
  return isCacheOption(key) && mayNameKeys(text);
}

export class FrontendOptions {
  /** The names of the session's directories with the context and with the Dockerfile. */
  context: string = "context";
  definition: string = "dockerfile";
  /** What is wrong with them, or not built yet; null if nothing is. */
  problem: CallError | null = null;
  readonly options: BuildOptions = new BuildOptions();
  /** The path of the archive with the context; empty if there is none. */
  private uploaded: string = "";
  private namesDefinition: bool = false;
  private readonly contexts: ContextOptions = new ContextOptions();

  /** `inputs`: results of other builds that it may name. */
  constructor(
    given: Json,
    private readonly inputs: Json = Json.object(),
  ) {
    const options = this.options;
    // The build reads what its containers write from their logs.
    const log = Json.object();
    log.set("Type", Json.string("json-file"));
    log.set("Config", Json.object());
    options.hostConfig.set("LogConfig", log);
    options.forceRemove = true;
    options.onlyCaches = true;
    for (let i = 0; i < given.keys.length && this.problem === null; i++) this.take(given.keys[i], given.items[i].text);
    options.contexts = this.contexts.chosen(options.platform);
    if (this.problem === null && this.namesDefinition && !this.inSession) {
      this.problem = notBuilt("a Dockerfile of the client's beside a context that is elsewhere");
    }
  }

  /** The client's session has the context as files. */
  get inSession(): bool {
    const options = this.options;
    return this.uploaded.length == 0 && options.remote === null && options.git === null;
  }

  /** Says who brings the context. Returns why it cannot. */
  bindTo(session: Session): string {
    if (this.uploaded.length == 0) return "";
    if (!session.offers(UPLOAD)) return `the session has no archive ${this.uploaded}: it offers none`;
    this.options.archive = new EntriesSourceUpload(new SessionUpload(session.request, this.uploaded));
    return "";
  }

  private take(key: string, value: string): void {
    const options = this.options;
    if (key.startsWith(ARGUMENT)) options.buildArgs.set(key.slice(ARGUMENT.length), Json.string(value));
    else if (key.startsWith(LABEL)) options.labels.set(key.slice(LABEL.length), Json.string(value));
    else if (key == "filename") options.dockerfile = value;
    else if (key == "target") options.target = value;
    else if (key == "requestid") this.takeQuestion(value);
    else if (key == "contextkey") this.context = value;
    else if (key == "dockerfilekey") this.takeDefinition(value);
    else if (key == CONTEXT) this.takeContext(value);
    else if (isContextOption(key)) this.problem = this.contexts.take(key, value, this.inputs);
    else if (isCacheOption(key)) this.problem = takeSources(options, key, value);
    else if (key == "no-cache") this.takeUncached(value);
    else if (key == "image-resolve-mode") options.pull = value == "pull";
    else if (key == "platform") this.takePlatform(value);
    else if (!this.takeLimit(key, value) && !isIgnored(key)) this.problem = notBuilt(shownAs(key));
  }

  private takeQuestion(name: string): void {
    this.options.question = name;
    if (!canBeAsked(name)) this.problem = unsupportedRequest(name);
  }

  private takeDefinition(directory: string): void {
    this.definition = directory;
    this.namesDefinition = true;
  }

  /** Where it is, if not in the session's directory. */
  private takeContext(given: string): void {
    const options = this.options;
    if (given.startsWith(UPLOADED)) this.uploaded = given.slice(UPLOADED.length - 1);
    else if (isGitContext(given)) options.git = new GitAddress(given);
    else if (given.startsWith("http://") || given.startsWith("https://")) options.remote = new WebAddress(given);
    else if (given.startsWith("*")) this.problem = notBuilt("a context at an address with a user or a query");
    else this.problem = notBuilt("a context that is neither files of the client nor a web address");
  }

  /** Names of stages; none: all. */
  private takeUncached(value: string): void {
    if (value.length == 0) this.options.useCache = false;
    else this.options.uncached = value.toLowerCase().split(",");
  }

  /** What holds for the containers of the build. */
  private takeLimit(key: string, value: string): bool {
    const host = this.options.hostConfig;
    if (key == "force-network-mode") host.set("NetworkMode", Json.string(value));
    else if (key == "add-hosts") host.set("ExtraHosts", Json.strings(hostsIn(value)));
    else if (key == "cgroup-parent") host.set("CgroupParent", Json.string(value));
    else if (key == "shm-size") this.takeSharedMemory(value);
    else if (key == "ulimit") host.set("Ulimits", ulimitsIn(value));
    else return false;
    return true;
  }

  private takeSharedMemory(value: string): void {
    const bytes = numberIn(value);
    if (bytes < 0) this.problem = unknownError(`invalid shm-size: ${value}`);
    else this.options.hostConfig.set("ShmSize", Json.i64(bytes));
  }

  private takePlatform(value: string): void {
    const platform = parsePlatform(value, hostPlatform());
    this.options.platform = platform;
    if (value.includes(",")) this.problem = notBuilt("an image for several platforms at once");
    else if (platform === null) this.problem = unknownError(platformError());
  }
}

/** As the client's user has written it, where that is known. */
function shownAs(key: string): string {
  return key.startsWith(ATTEST) ? `the attestation ${key.slice(ATTEST.length)}` : `the option ${key}`;
}

function isIgnored(key: string): bool {
  for (let i = 0; i < IGNORED_PREFIXES.length; i++) if (key.startsWith(IGNORED_PREFIXES[i])) return true;
  return IGNORED.includes(key);
}

/** `a=10.0.0.1,b=…` as `a:10.0.0.1`. */
function hostsIn(value: string): string[] {
  const hosts: string[] = [];
  const pairs = value.split(",");
  for (let i = 0; i < pairs.length; i++) {
    const equals = pairs[i].indexOf("=");
    if (equals > 0) hosts.push(`${pairs[i].slice(0, equals)}:${pairs[i].slice(equals + 1)}`);
  }
  return hosts;
}

/** `nofile=1024:2048,…`, as a create request has them. */
function ulimitsIn(value: string): Json {
  const limits = Json.array();
  const all = value.split(",");
  for (let i = 0; i < all.length; i++) {
    const equals = all[i].indexOf("=");
    if (equals < 0) continue;
    const numbers = all[i].slice(equals + 1).split(":");
    const limit = Json.object();
    limit.set("Name", Json.string(all[i].slice(0, equals)));
    limit.set("Soft", Json.i64(numberIn(numbers[0])));
    limit.set("Hard", Json.i64(numberIn(numbers[numbers.length - 1])));
    limits.push(limit);
  }
  return limits;
}

/** A decimal number, or -1. */
function numberIn(text: string): i64 {
  if (text.length == 0 || text.length > MAX_DIGITS) return -1;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) < 0x30 || text.charCodeAt(i) > 0x39) return -1;
  return I64.parseInt(text);
}

/** As many as 64 bits surely hold. */
const MAX_DIGITS: i32 = 18;
