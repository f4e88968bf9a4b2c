// A container's record: JSON, which includes Docker's own `Config` and `HostConfig`.

import { Health, healthFields } from "../health/health";
import { isDigest } from "../image/reference";
import { Json } from "../json/json";
import { Members } from "../json/members";
import { Endpoint, endpointFields, Sandbox, sandboxFields } from "../network/endpoint/endpoint";
import { FieldReader } from "../records/field-reader";
import { FieldWriter } from "../records/field-writer";
import { Fields, listOf, optionalListOf, partOf } from "../records/fields";
import { StraightReader } from "../records/straight-reader";
import { isFullId } from "../text/hex";
import { Container } from "./container";
import { annotationsOf } from "./create/annotations";
import { LastChange, lastChangeFields } from "./last-change";
import { Status } from "./lifecycle";
import { Link, linkFields } from "./links/link";
import { MountPoint, mountPointFields } from "./mounts/mount-point";
import { isContainerName } from "./names";
import { restartPolicyOf } from "./restart/policy-setting";

/** Usually enough room for everything but the JSON documents. */
const REST_BYTES: i32 = 2048;

export function writeRecord(container: Container): Uint8Array {
  // The record contains the labels twice.
  const documents = 2 * container.config.length + container.hostConfig.length;
  const fields = new FieldWriter(documents + REST_BYTES);
  containerFields(fields, container);
  return fields.take();
}

/** Reads the container `id` from a record that looks as `writeRecord` writes it; null if it does not, or is invalid. */
export function readStraight(record: Uint8Array, id: string): Container | null {
  const fields = new StraightReader(record);
  const container = containerFields(fields, null);
  if (!fields.ended() || problemOf(container, id).length > 0) return null;
  takeAtHand(container);
  return container;
}

/** Reads the container `id`; sets a problem if its record is invalid. */
export function readRecord(fields: FieldReader, id: string): Container {
  const container = containerFields(fields, null);
  fields.refuse(problemOf(container, id));
  if (fields.problem.length == 0) takeAtHand(container);
  return container;
}

function takeAtHand(container: Container): void {
  const members = new Members(container.hostConfig);
  const hostConfig = Json.object();
  for (let i = 0; i < KEPT_AT_HAND.length; i++) {
    const value = members.tree(KEPT_AT_HAND[i]);
    if (value !== null) hostConfig.set(KEPT_AT_HAND[i], value);
  }
  container.policy = restartPolicyOf(hostConfig);
  container.annotations = annotationsOf(hostConfig);
}

/** What a container has at hand of its `hostConfig`. */
const KEPT_AT_HAND: string[] = ["RestartPolicy", "Annotations"];

function containerFields(fields: Fields, given: Container | null): Container {
  const id = fields.text("id", given === null ? "" : given.id);
  const container = given === null ? new Container(id) : given;
  container.sequence = <u64>fields.within("sequence", <i64>container.sequence, 1, i64.MAX_VALUE);
  container.created = fields.number("created", container.created);
  container.name = fields.text("name", container.name);
  container.image = fields.text("image", container.image);
  container.imageId = fields.text("imageId", container.imageId);
  const chain = container.chain;
  const kept = fields.optionalText("chain", chain === null ? "" : chain);
  container.chain = kept.length > 0 ? kept : null;
  container.platform = fields.text("platform", container.platform);
  container.path = fields.text("path", container.path);
  container.args = fields.texts("args", container.args);
  wishFields(fields, container);
  stateFields(fields, container);
  return container;
}

/** What the client asked for. Its JSON documents come last, since they are long. */
function wishFields(fields: Fields, container: Container): void {
  container.tty = fields.bool("tty", container.tty);
  container.openStdin = fields.bool("openStdin", container.openStdin);
  container.stdinOnce = fields.bool("stdinOnce", container.stdinOnce);
  container.autoRemove = fields.bool("autoRemove", container.autoRemove);
  container.networkMode = fields.text("networkMode", container.networkMode);
  container.networkDisabled = fields.optionalBool("networkDisabled", container.networkDisabled);
  optionalListOf<Link>(fields, "links", container.links, linkFields);
  container.stopSignal = fields.u32("stopSignal", container.stopSignal);
  container.stopTimeout = fields.number("stopTimeout", container.stopTimeout);
  listOf<MountPoint>(fields, "mounts", container.mounts, mountPointFields);
  listOf<Endpoint>(fields, "endpoints", container.endpoints, endpointFields);
  container.sandbox = partOf<Sandbox>(fields, "sandbox", container.sandbox, sandboxFields);
  fields.textMap("labels", container.labelKeys, container.labelValues);
  container.config = fields.document("config", container.config);
  container.hostConfig = fields.document("hostConfig", container.hostConfig);
}

function stateFields(fields: Fields, container: Container): void {
  container.status = <Status>(<i32>fields.within("status", container.status, 0, Status.Restarting));
  container.run = fields.u32("run", container.run);
  container.everRan = fields.bool("everRan", container.everRan);
  container.pid = fields.u32("pid", container.pid);
  container.exitCode = fields.i32("exitCode", container.exitCode);
  container.restartCount = fields.u32("restartCount", container.restartCount);
  container.outOfMemory = fields.bool("outOfMemory", container.outOfMemory);
  container.memoryKills = fields.optionalU32("memoryKills", container.memoryKills);
  container.error = fields.text("error", container.error);
  container.startedAt = fields.number("startedAt", container.startedAt);
  container.finishedAt = fields.number("finishedAt", container.finishedAt);
  container.begunAt = fields.optionalTime("begunAt", container.begunAt);
  container.written = fields.number("written", container.written);
  container.countedRun = fields.u32("countedRun", container.countedRun);
  container.removeVolumes = fields.bool("removeVolumes", container.removeVolumes);
  container.unclean = fields.bool("unclean", container.unclean);
  container.uncleanRun = fields.u32("uncleanRun", container.uncleanRun);
  container.health = partOf<Health>(fields, "health", container.health, healthFields);
  container.limiting = fields.bool("limiting", container.limiting);
  container.rewiring = fields.optionalBool("rewiring", container.rewiring);
  container.filesOf = fields.optionalText("filesOf", container.filesOf);
  container.toldLinks = fields.optionalText("toldLinks", container.toldLinks);
  container.startsAgain = fields.bool("startsAgain", container.startsAgain);
  container.restartDelay = fields.within("restartDelay", container.restartDelay, 0, i64.MAX_VALUE);
  container.manuallyStopped = fields.bool("manuallyStopped", container.manuallyStopped);
  container.disarmed = fields.bool("disarmed", container.disarmed);
  container.creating = fields.optionalBool("creating", container.creating);
  container.forBuild = fields.optionalBool("forBuild", container.forBuild);
  container.lastChange = partOf<LastChange>(fields, "lastChange", container.lastChange, lastChangeFields);
}

/** What is inconsistent in the record; empty if nothing is. */
function problemOf(container: Container, id: string): string {
  if (container.id != id || !isFullId(id)) return "it is another container's";
  if (!isContainerName(container.name)) return "its name is invalid";
  const chain = container.chain;
  if (chain !== null && !isDigest(chain)) return "its chain is invalid";
  return statusProblem(container);
}

/** Most statuses require that the container has been started. */
function statusProblem(container: Container): string {
  switch (container.status) {
    case Status.Created:
    case Status.Removing:
    case Status.Dead:
      return "";
    case Status.Removed:
      return "its status is that of a removed container";
    case Status.Starting:
    case Status.Unwinding:
      return container.run > 0 ? "" : "its status needs a run";
    default:
      return container.everRan && container.run > 0 ? "" : "its status needs a run";
  }
}
