// What the client of `POST /build` asks for (surface §2.22).

import { EntriesSource } from "../../../build/bindings/types";
import { flagOf, integerOf, parseFlag } from "../api/parameters";
import { Call } from "../call";
import { hostPlatform } from "../image/host-platform";
import { parsePlatform, Platform, platformError } from "../image/platform";
import { WebAddress } from "../image/import/web-address";
import { Reference } from "../image/reference";
import { readNewName } from "../image/tag";
import { Json } from "../json/json";
import { badParameter, internal, Refusal } from "../refusal";
import { quoteText } from "../text/go-quote";
import { objectsIn, textsIn } from "./documents";
import { Reach, readOutputs } from "./outputs";
import { Output } from "./buildkit/outputs/output";
import { IgnoreFile } from "./ignore/ignore-file";
import { readRemote } from "./remote";
import { Place } from "./run/place";
import { GitAddress } from "./run/web/git-address";
import { NamedContext } from "./stages/named-context";

/** The first versions with the parameters `platform` and `outputs`, and the first with `{"aux"}`. */
const WITH_PLATFORM: i32 = 32;
const WITH_OUTPUTS: i32 = 40;
const WITH_IDS: i32 = 30;
/** The value of `version` that asks for BuildKit. */
const BUILDKIT = "2";
/** Build arguments (moby/buildkit, frontend/dockerui; docs of docker build, `--cache-from`). */
const KEEP_GIT = "BUILDKIT_CONTEXT_KEEP_GIT_DIR";
const INLINE_CACHE = "BUILDKIT_INLINE_CACHE";

/** Where a build has its files from, if neither the body nor a web server has them. */
export abstract class FilesSource {
  /** Which files of the context the client does not send; known with the Dockerfile. */
  ignored: IgnoreFile = new IgnoreFile();

  /** Fetches the Dockerfile first: only a valid one needs the context. */
  abstract begin(options: BuildOptions, context: Place, client: FilesClient): void;

  abstract fetchContext(): void;

  /** The build is over: nothing is fetched any more. */
  abstract cancel(): void;
}

/** Waits for the files. */
export interface FilesClient {
  definitionCame(dockerfile: string): void;
  contextCame(): void;
  filesMissing(why: string): void;
}

export class BuildOptions {
  refusal: Refusal | null = null;
  /** The client wants to see the steps as BuildKit tells them. */
  traced: bool = false;
  /** Where the context is; null if it is the body. */
  remote: WebAddress | null = null;
  git: GitAddress | null = null;
  /** The client's session has it. */
  inSession: bool = false;
  /** Another request brings it. */
  isUploaded: bool = false;
  /** Who sends it as a tar, if not the request itself. */
  archive: EntriesSource | null = null;
  /** What BuildKit does with the result; null for an image in the store. */
  output: Output | null = null;
  /** Files of a session, for a build by BuildKit. */
  files: FilesSource | null = null;
  /** A FROM or `--from` takes one of these instead of the image or stage of its name. */
  contexts: NamedContext[] = [];
  /** Path in the context. */
  dockerfile: string = "Dockerfile";
  tags: Reference[] = [];
  quiet: bool = false;
  useCache: bool = true;
  /** Stages, in lower case, that are made anew. */
  uncached: string[] = [];
  /** Names of images whose steps are the only cache, or in addition for BuildKit; empty for all images. */
  cacheFrom: string[] = [];
  /** Types of caches that are named, too, and cannot be imported. */
  lackedCaches: string[] = [];
  pull: bool = false;
  /** Containers of successful steps are removed; those of failed ones too. */
  remove: bool = true;
  forceRemove: bool = false;
  target: string = "";
  /** Null if none is asked for. */
  platform: Platform | null = null;
  /** Names and values; a null value declares an argument without giving it a value. */
  buildArgs: Json = Json.object();
  labels: Json = Json.object();
  /** `HostConfig` of the containers. */
  hostConfig: Json = Json.object();
  /** The images of its steps are only the builder's cache, and so is its result until its client asks for it. */
  onlyCaches: bool = false;
  /** What its client asks about the Dockerfile (`questions/describe.ts`); empty: it is built. */
  question: string = "";
  /** The ids of stages' images are told. */
  tellsIds: bool = true;

  /** BuildKit leaves out the directory `.git` of a context, unless a build argument asks for it. */
  get keepsGit(): bool {
    return this.onlyCaches && parseFlag(this.buildArgs.stringOf(KEEP_GIT)).value;
  }

  /** The result is a cache for other machines. Clients that make calls ask for it in their own way. */
  get inlinesCache(): bool {
    return this.onlyCaches && parseFlag(this.buildArgs.stringOf(INLINE_CACHE)).value;
  }
}

export function readOptions(call: Call): BuildOptions {
  const options = new BuildOptions();
  options.refusal = read(options, call);
  return options;
}

function read(options: BuildOptions, call: Call): Refusal | null {
  const query = call.query;
  // Also if the request is refused for another reason: its address is erased.
  const remote = readRemote(call);
  options.traced = query.first("version") == BUILDKIT;
  const unbuilt = refuseUnbuilt(call);
  if (unbuilt !== null) return unbuilt;
  options.tellsIds = call.version >= WITH_IDS;
  options.quiet = flagOf(query, "q");
  options.useCache = !flagOf(query, "nocache");
  options.pull = flagOf(query, "pull");
  options.forceRemove = flagOf(query, "forcerm");
  options.remove = options.forceRemove || query.first("rm").length == 0 || flagOf(query, "rm");
  options.target = query.first("target");
  const file = query.first("dockerfile");
  if (file.length > 0) options.dockerfile = file;
  const platform = call.version >= WITH_PLATFORM ? query.first("platform") : "";
  if (platform.length > 0) {
    options.platform = parsePlatform(platform, hostPlatform());
    if (options.platform === null) return badParameter(platformError());
  }
  const outputs = readOutputs(call.version >= WITH_OUTPUTS ? query.first("outputs") : "", reachOf(options, call));
  if (outputs.refusal !== null) return outputs.refusal;
  options.output = outputs.output;
  const names = readTags(options, query.all("t").concat(outputs.names));
  if (names !== null) return names;
  const documents = readDocuments(options, call);
  if (documents !== null) return documents;
  const host = readHostConfig(options, call);
  if (host !== null) return host;
  options.remote = remote.address;
  options.git = remote.git;
  options.inSession = remote.inSession;
  options.isUploaded = remote.isUploaded;
  return remote.refusal;
}

function reachOf(options: BuildOptions, call: Call): Reach {
  if (!options.traced) return Reach.Store;
  return call.query.first("session").length > 0 ? Reach.Client : Reach.Registries;
}

/** Refused by name, never ignored. */
function refuseUnbuilt(call: Call): Refusal | null {
  const query = call.query;
  const version = query.first("version");
  if (version.length > 0 && version != "1" && version != BUILDKIT)
    return badParameter(`invalid version ${quoteText(version)}`);
  if (flagOf(query, "squash")) return badParameter("squash is only supported with experimental mode");
  if (query.all("securityopt").length > 0) {
    return badParameter("The daemon on this platform does not support setting security options on build");
  }
  return null;
}

function readTags(options: BuildOptions, texts: string[]): Refusal | null {
  for (let i = 0; i < texts.length; i++) {
    if (texts[i].length == 0) continue;
    const name = readNewName(texts[i], "");
    const reference = name.reference;
    if (reference === null) return name.refusal;
    let known = false;
    for (let j = 0; j < options.tags.length; j++) if (options.tags[j].familiar == reference.familiar) known = true;
    if (!known) options.tags.push(reference);
  }
  return null;
}

function readDocuments(options: BuildOptions, call: Call): Refusal | null {
  const query = call.query;
  const args = textsIn(query.first("buildargs"), "error reading build args", "map[string]*string");
  if (args.refusal !== null) return args.refusal;
  if (!args.json.isNull) options.buildArgs = args.json;
  const labels = textsIn(query.first("labels"), "error reading labels", "map[string]string");
  if (labels.refusal !== null) return labels.refusal;
  if (!labels.json.isNull) options.labels = labels.json;
  const sources = textsIn(query.first("cachefrom"), "error reading cache-from", "[]string");
  if (sources.refusal !== null) return sources.refusal;
  const names = sources.json.items;
  for (let i = 0; i < names.length; i++) options.cacheFrom.push(names[i].text);
  const limits = objectsIn(query.first("ulimits"), "error reading ulimit settings", "[]*units.Ulimit");
  if (limits.refusal !== null) return limits.refusal;
  if (!limits.json.isNull) options.hostConfig.set("Ulimits", limits.json);
  return null;
}

function readHostConfig(options: BuildOptions, call: Call): Refusal | null {
  const query = call.query;
  const host = options.hostConfig;
  const shared = integerOf(query, "shmsize");
  if (shared.error.length > 0) return internal(shared.error);
  if (shared.value > 0) host.set("ShmSize", Json.i64(shared.value));
  setNumber(host, "Memory", call, "memory");
  setNumber(host, "MemorySwap", call, "memswap");
  setNumber(host, "CpuShares", call, "cpushares");
  setNumber(host, "CpuPeriod", call, "cpuperiod");
  setNumber(host, "CpuQuota", call, "cpuquota");
  setText(host, "CpusetCpus", query.first("cpusetcpus"));
  setText(host, "CpusetMems", query.first("cpusetmems"));
  setText(host, "CgroupParent", query.first("cgroupparent"));
  setText(host, "NetworkMode", query.first("networkmode"));
  const isolation = query.first("isolation");
  if (isolation.length > 0 && isolation.toLowerCase() != "default") {
    return badParameter(`unsupported isolation: ${quoteText(isolation)}`);
  }
  setText(host, "Isolation", isolation);
  const hosts = query.all("extrahosts");
  if (hosts.length > 0) host.set("ExtraHosts", Json.strings(hosts));
  // The build reads what its containers write from their logs.
  const log = Json.object();
  log.set("Type", Json.string("json-file"));
  log.set("Config", Json.object());
  host.set("LogConfig", log);
  return null;
}

/** A size that is no number counts as 0 (surface §2.2). */
function setNumber(host: Json, field: string, call: Call, name: string): void {
  const number = integerOf(call.query, name);
  if (number.error.length == 0 && number.value != 0) host.set(field, Json.i64(number.value));
}

function setText(host: Json, field: string, text: string): void {
  if (text.length > 0) host.set(field, Json.string(text));
}
