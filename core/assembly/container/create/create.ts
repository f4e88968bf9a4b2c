// POST /containers/create (surface §2.14): reads the body, looks the
// image up, merges and checks the configs, then makes the container.

import { Failure, Outcome, VolumeCommandFind } from "../../../../build/bindings/types";
import { bodyLength, readJsonBody } from "../../api/json-body";
import { askVolumes, wakeAfter } from "../../ask";
import { Call } from "../../call";
import { Image } from "../../image/image";
import { asI64, isI64, Json } from "../../json/json";
import { jsonBytes } from "../../json/writer";
import { lookUpNetwork } from "../../network/look-up";
import { badParameter, Refusal } from "../../refusal";
import { sendRefusal } from "../../reply";
import { engine } from "../../state";
import { Task } from "../../task";
import { volumeOptionsProblem } from "../../volume/options";
import { volumeStore } from "../../volume/store";
import { takerOf, volumeNames } from "../../volume/use";
import { Container } from "../container";
import { showLinks, tieLinks } from "../links/links";
import { Lent } from "../mounts/lent";
import { MountKind, MountPoint } from "../mounts/mount-point";
import { containerNameProblem, generatedName } from "../names";
import { restartPolicyOf } from "../restart/policy-setting";
import { parseSignal } from "../stop/signals";
import { containerStore } from "../store";
import { annotationsOf } from "./annotations";
import { CreateBody, readCreate } from "./create-body";
import { CreateRequest, readCreateRequest } from "./create-request";
import { Creation, CreationCall, CreationClient } from "./creation";

/** Attempts to generate a name of two words before the short id is used. */
const NAME_DRAWS = 6;

/** Size in bytes from which reading a body takes long. */
const LARGE_BODY: i32 = 128 << 10;

export function createContainer(call: Call): Refusal | null {
  return read(call, false);
}

/** `checked`: the sources of binds that must exist have been looked up. */
function read(call: Call, checked: bool): Refusal | null {
  const body = readJsonBody(call.request, true);
  if (body.refusal !== null) return body.refusal;
  const json = body.json;
  if (json === null) return badParameter("invalid JSON: EOF");
  if (bodyLength(call.request) < LARGE_BODY) return create(call, readCreate(json, call.version), checked);
  new LargeCreate(call, json, checked).begin();
  return null;
}

function create(call: Call, body: CreateBody, checked: bool): Refusal | null {
  const name = nameOf(call);
  if (name.length > 0) {
    const problem = containerNameProblem(name);
    if (problem.length > 0) return badParameter(problem);
  }
  const request = readCreateRequest(body, call.version, call.query.first("platform"));
  if (request.refusal !== null) return request.refusal;
  if (name.length > 0) {
    const taken = containerStore.refuseName(name);
    if (taken !== null) return taken;
  }
  const names = volumeNames(request.mounts);
  const taker = takerOf(names);
  if (taker !== null) {
    // That removal may remove one of the volumes. The request is read again when it is over.
    taker.queue.push(call);
    return null;
  }
  const leaving = volumeStore.removedOf(names);
  if (leaving !== null) {
    leaving.queue.push(call);
    return null;
  }
  const unusable = refuseOptions(request.mounts);
  if (unusable !== null) return unusable;
  if (!checked && new SourceSearch(call, request.mounts).begin()) return null;

  // The request is accepted from here on.
  accept(request, newContainer(request, name), new CreationCall(call, request.warnings));
  return null;
}

/**
 * Makes a container for a build. `lent`: what it mounts and knows besides, in place of others at the same destinations.
 * Returns why it cannot be made; otherwise the client is told.
 */
export function createForBuild(body: CreateBody, version: i32, lent: Lent, client: CreationClient): Refusal | null {
  const request = readCreateRequest(body, version, "");
  if (request.refusal !== null) return request.refusal;
  const container = newContainer(request, "");
  container.forBuild = true;
  container.mounts = withLent(container.mounts, lent.points);
  container.lentVariables = lent.variables;
  accept(request, container, client);
  return null;
}

function withLent(mounts: MountPoint[], lent: MountPoint[]): MountPoint[] {
  const taken = new Set<string>();
  for (let i = 0; i < lent.length; i++) taken.add(lent[i].destination);
  const all: MountPoint[] = [];
  for (let i = 0; i < mounts.length; i++) if (!taken.has(mounts[i].destination)) all.push(mounts[i]);
  return all.concat(lent);
}

function accept(request: CreateRequest, container: Container, client: CreationClient): void {
  containerStore.add(container);
  tieLinks(container);
  container.change();
  new Creation(container, client, request.config.stringOf("WorkingDir")).begin();
}

/** Options of volumes that exist already do not matter. */
function refuseOptions(mounts: MountPoint[]): Refusal | null {
  for (let i = 0; i < mounts.length; i++) {
    const name = mounts[i].name;
    if (mounts[i].driverOptions === null || volumeStore.find(name) !== null) continue;
    const problem = volumeOptionsProblem(name.length > 0 ? name : engine.ids.next(), mounts[i].driverOptions);
    if (problem.length > 0) return badParameter(problem);
  }
  return null;
}

/** The name without the leading slash. */
function nameOf(call: Call): string {
  const name = call.query.first("name");
  return name.startsWith("/") ? name.slice(1) : name;
}

function newContainer(request: CreateRequest, name: string): Container {
  const container = new Container(engine.ids.nextForContainer());
  container.created = engine.now.wall;
  container.name = name.length > 0 ? name : chooseName(container);
  container.image = request.config.stringOf("Image");
  const image: Image | null = request.image;
  if (image !== null) {
    container.imageId = image.id;
    container.chain = image.chain;
    container.platform = image.os;
  }
  request.finish(container.shortId);
  takeConfig(container, request.config);
  takeHostConfig(container, request.hostConfig);
  container.mounts = request.mounts;
  container.endpoints = request.endpoints;
  container.config = jsonBytes(request.config);
  container.hostConfig = jsonBytes(request.hostConfig);
  container.links = request.links;
  if (request.hostConfig.stringsOf("Links").length > 0) showLinks(container);
  return container;
}

function takeConfig(container: Container, config: Json): void {
  const entrypoint = config.stringsOf("Entrypoint");
  const command = entrypoint.concat(config.stringsOf("Cmd"));
  container.path = command[0];
  container.args = command.slice(1);
  container.tty = config.boolOf("Tty");
  container.networkDisabled = config.boolOf("NetworkDisabled");
  container.openStdin = config.boolOf("OpenStdin");
  container.stdinOnce = config.boolOf("StdinOnce");
  container.stopSignal = parseSignal(config.stringOf("StopSignal"));
  const timeout = config.find("StopTimeout");
  if (timeout !== null && isI64(timeout)) container.stopTimeout = asI64(timeout);
  const labels = config.find("Labels");
  if (labels !== null) labels.takeTexts(container.labelKeys, container.labelValues);
}

function takeHostConfig(container: Container, hostConfig: Json): void {
  container.autoRemove = hostConfig.boolOf("AutoRemove");
  container.networkMode = modeOf(hostConfig.stringOf("NetworkMode"));
  container.policy = restartPolicyOf(hostConfig);
  container.annotations = annotationsOf(hostConfig);
}

/** A built-in network by its name, even if the client gave its id, since each of them is a mode of its own. */
function modeOf(given: string): string {
  const network = lookUpNetwork(given).network;
  return network !== null && network.isBuiltIn ? network.name : given;
}

function chooseName(container: Container): string {
  for (let i = 0; i < NAME_DRAWS; i++) {
    const name = generatedName(engine.ids.draw(), i);
    if (containerStore.idOf(name).length == 0) return name;
  }
  return container.shortId;
}

/**
 * Reads a large body in several steps, so that other requests can be handled in between. The earlier steps look at the
 * body alone. The last one looks at everything else and makes the container.
 */
class LargeCreate extends Task {
  private body: CreateBody | null = null;

  constructor(
    private readonly call: Call,
    private json: Json,
    private readonly checked: bool,
  ) {
    super();
  }

  begin(): void {
    wakeAfter(this, 0, 0);
  }

  ended(_step: i32, _outcome: Outcome | null, _failure: Failure | null): void {}

  elapsed(_step: i32): void {
    const body = this.body;
    if (body === null) {
      this.body = readCreate(this.json, this.call.version);
      // The tree takes megabytes.
      this.json = Json.null();
      return this.begin();
    }
    const refusal = create(this.call, body, this.checked);
    if (refusal !== null) sendRefusal(this.call, refusal);
  }
}

/** Looks up the sources of binds that are not created automatically, then the request is read again. */
class SourceSearch extends Task {
  private open: i32 = 0;
  /** The first source that does not exist. */
  private missing: string = "";

  constructor(
    private readonly call: Call,
    private readonly mounts: MountPoint[],
  ) {
    super();
  }

  /** False if there are no sources to look up. */
  begin(): bool {
    for (let i = 0; i < this.mounts.length; i++) {
      const mount = this.mounts[i];
      if (mount.kind != MountKind.Bind || mount.makesSource || mount.shared) continue;
      this.open += 1;
      askVolumes(this, i, new VolumeCommandFind(mount.source));
    }
    return this.open > 0;
  }

  ended(step: i32, _outcome: Outcome | null, failure: Failure | null): void {
    if (failure !== null && this.missing.length == 0) this.missing = this.mounts[step].source;
    this.open -= 1;
    if (this.open > 0) return;
    const text = `invalid mount config for type "bind": bind source path does not exist: ${this.missing}`;
    const refusal = this.missing.length > 0 ? badParameter(text) : read(this.call, true);
    if (refusal !== null) sendRefusal(this.call, refusal);
  }
}
