// One item of GET /containers/json (surface §2.15, §6.5).

import { Health, NO_HEALTH } from "../../health/health";
import { imageStore } from "../../image/store";
import { JsonWriter } from "../../json/writer";
import { PublishedPort } from "../../network/endpoint/published-port";
import { engine } from "../../state";
import { TextBuilder } from "../../text/builder";
import { humanDuration } from "../../text/duration";
import { unixSeconds } from "../../text/time";
import { Container } from "../container";
import { Status } from "../lifecycle";
import { linkNamesOf } from "../links/links";
import { ListedItem } from "./list-cache";
import { writeMountPoints } from "./mount-points";
import { exposedKeys, writeNetworks } from "./network-settings";

/** From this version on, the list has `HostConfig.Annotations`. */
const WITH_ANNOTATIONS = 46;

/** `written`: negative if no sizes are wanted. */
export function writeListItem(json: JsonWriter, container: Container, version: i32, written: i64): void {
  const item = listedOf(container, version);
  json.raw(item.head);
  if (written >= 0) writeSizes(json, container, written);
  json.stringField("Status", statusOf(container));
  json.raw(item.tail);
}

/** Uses the cache, except for a container with health checks: each check changes the item. */
function listedOf(container: Container, version: i32): ListedItem {
  const kept = container.listed;
  const names = imageStore.renamings;
  if (kept !== null && kept.version == version && kept.names == names && container.health === null) return kept;
  const head = new JsonWriter();
  writeHead(head, container);
  const tail = new JsonWriter();
  writeTail(tail, container, version);
  const item = new ListedItem(version, names, head.finish(), tail.finish());
  container.listed = item;
  return item;
}

function writeHead(json: JsonWriter, container: Container): void {
  json.beginObject();
  json.stringField("Id", container.id);
  json.stringArrayField("Names", namesOf(container));
  json.stringField("Image", imageOf(container));
  json.stringField("ImageID", container.imageId);
  json.stringField("Command", commandOf(container));
  json.i64Field("Created", unixSeconds(container.created));
  json.key("Ports");
  writePorts(json, container);
  json.key("Labels").textMap(container.labelKeys, container.labelValues);
  json.stringField("State", container.word);
}

/** The image as given at create, as long as that name still means the container's image. */
function imageOf(container: Container): string {
  const named = imageStore.lookUp(container.image).image;
  return named !== null && named.id == container.imageId ? container.image : container.imageId;
}

/** The container's own name, and those from links. */
function namesOf(container: Container): string[] {
  const own = `/${container.name}`;
  if (container.linkedBy.length == 0) return [own];
  const names = linkNamesOf(container).map<string>((name: string) => `/${name}`);
  names.push(own);
  return names.sort();
}

function writeTail(json: JsonWriter, container: Container, version: i32): void {
  json.key("HostConfig");
  json.beginObject();
  json.stringField("NetworkMode", container.networkName);
  const annotations = container.annotations;
  if (version >= WITH_ANNOTATIONS && annotations !== null) json.jsonField("Annotations", annotations);
  json.endObject();
  if (version >= 52) writeHealth(json, container.health);
  json.key("NetworkSettings");
  json.beginObject();
  json.key("Networks");
  writeNetworks(json, container, version);
  json.endObject();
  json.key("Mounts");
  writeMountPoints(json, container, true);
  json.endObject();
}

/** Path and arguments, joined by spaces; an argument with a space is in single quotes. */
function commandOf(container: Container): string {
  const command = new TextBuilder().text(quoted(container.path));
  for (let i = 0; i < container.args.length; i++) command.text(" ").text(quoted(container.args[i]));
  return command.toString();
}

function quoted(text: string): string {
  return text.indexOf(" ") >= 0 ? `'${text}'` : text;
}

/** Docker's text for the container's status. */
function statusOf(container: Container): string {
  const now = engine.now.wall;
  switch (container.status) {
    case Status.Running:
      return `Up ${humanDuration(now - container.startedAt)}${healthWords(container)}`;
    case Status.Paused:
      return `Up ${humanDuration(now - container.startedAt)} (Paused)`;
    case Status.Removing:
    case Status.Removed:
      return "Removal In Progress";
    case Status.Dead:
      return "Dead";
    default:
      if (!container.everRan) return "Created";
      return `${container.restarting ? "Restarting" : "Exited"} (${container.exitCode.toString()}) ${since(container)} ago`;
  }
}

function since(container: Container): string {
  return humanDuration(engine.now.wall - container.finishedAt);
}

function writeSizes(json: JsonWriter, container: Container, written: i64): void {
  const image = imageStore.find(container.imageId);
  if (written > 0) json.i64Field("SizeRw", written);
  json.i64Field("SizeRootFs", written + (image === null ? 0 : <i64>image.size));
}

function healthWords(container: Container): string {
  const health = container.health;
  return health === null ? "" : ` (${health.words})`;
}

function writeHealth(json: JsonWriter, health: Health | null): void {
  json.key("Health");
  json.beginObject();
  json.stringField("Status", health === null ? NO_HEALTH : health.status);
  json.i64Field("FailingStreak", health === null ? 0 : health.streak);
  json.endObject();
}

/** `[]` unless the container is running. A port published on all addresses is listed once per address family. */
function writePorts(json: JsonWriter, container: Container): void {
  json.beginArray();
  if (container.running) {
    const ports = container.ports;
    for (let i = 0; i < ports.length; i++) writePublished(json, ports[i]);
    writeUnpublished(json, exposedKeys(container, []), ports);
  }
  json.endArray();
}

function writePublished(json: JsonWriter, port: PublishedPort): void {
  json.beginObject();
  json.stringField("IP", port.address);
  json.i64Field("PrivatePort", port.containerPort);
  if (port.isMapped) json.i64Field("PublicPort", port.hostPort);
  json.stringField("Type", port.protocol);
  json.endObject();
}

function writeUnpublished(json: JsonWriter, keys: string[], ports: PublishedPort[]): void {
  const published = new Set<string>();
  for (let i = 0; i < ports.length; i++) published.add(ports[i].key);
  for (let i = 0; i < keys.length; i++) {
    if (published.has(keys[i])) continue;
    const slash = keys[i].indexOf("/");
    json.beginObject();
    json.i64Field("PrivatePort", <i64>parseInt(keys[i].slice(0, slash), 10));
    json.stringField("Type", keys[i].slice(slash + 1));
    json.endObject();
  }
}
