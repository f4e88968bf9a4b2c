// GET /containers/{id}/json (surface §6.5; differences by version: §3).

import { ContentCommandMeasure, Failure, Outcome, OutcomeSize } from "../../../../build/bindings/types";
import { flagOf } from "../../api/parameters";
import { askContent } from "../../ask";
import { Call } from "../../call";
import { writeExecIds } from "../../exec/inspect";
import { failureText } from "../../failure/text";
import { writeHealth } from "../../health/health";
import { imageStore } from "../../image/store";
import { JsonWriter } from "../../json/writer";
import { internal, Refusal } from "../../refusal";
import { sendRefusal, sendWritten } from "../../reply";
import { engine } from "../../state";
import { Task } from "../../task";
import { formatTime } from "../../text/time";
import { Container } from "../container";
import { writeExtension } from "../last-change";
import { Status } from "../lifecycle";
import { logDriverOf } from "../output/log-config";
import { otherIn } from "../spec/namespaces";
import { containerStore } from "../store";
import { isCounted, keepSample } from "../usage/sizes";
import { writeConfig, writeHostConfig } from "./config-json";
import { writeMountPoints } from "./mount-points";
import { writeNetworkSettings } from "./network-settings";

/** Usually enough room for everything but the config. */
const REST_BYTES: i32 = 4096;

export function inspectContainer(call: Call): Refusal | null {
  const lookup = containerStore.lookUp(call.name);
  const container = lookup.container;
  if (container === null) return lookup.refusal;
  const sized = flagOf(call.query, "size");
  if (sized && !isCounted(container)) {
    askContent(new Sizing(call, container), 0, new ContentCommandMeasure(container.id));
    return null;
  }
  send(call, container, sized ? container.written : -1);
  return null;
}

class Sizing extends Task {
  constructor(
    private readonly call: Call,
    private readonly container: Container,
  ) {
    super();
  }

  ended(_step: i32, outcome: Outcome | null, failure: Failure | null): void {
    if (failure !== null) return sendRefusal(this.call, internal(failureText(failure)));
    const size = <i64>(<OutcomeSize>outcome!).value;
    keepSample(this.container, size);
    send(this.call, this.container, size);
  }
}

/** `written`: negative if no sizes are wanted. */
function send(call: Call, container: Container, written: i64): void {
  const version = call.version;
  // Only inspect shows the results of health checks. So probes need not wait for the disk; only clients of inspect do.
  container.tell();
  const json = new JsonWriter(false, container.config.length + container.hostConfig.length + REST_BYTES);
  json.beginObject();
  json.stringField("Id", container.id);
  json.stringField("Created", formatTime(container.created));
  json.stringField("Path", container.path);
  json.stringArrayField("Args", container.args);
  writeState(json, container);
  json.stringField("Image", container.imageId);
  writePaths(json, container);
  json.stringField("Name", `/${container.name}`);
  json.i64Field("RestartCount", container.restartCount);
  json.stringField("Driver", engine.options.machine.storageDriver);
  json.stringField("Platform", container.platform);
  json.stringField("MountLabel", "");
  json.stringField("ProcessLabel", "");
  json.stringField("AppArmorProfile", "");
  writeExecIds(json, container);
  json.key("HostConfig");
  writeHostConfig(json, container, version);
  writeGraphDriver(json, container);
  if (written >= 0) writeSizes(json, container, written);
  json.key("Mounts");
  writeMountPoints(json, container, false);
  json.key("Config");
  writeConfig(json, container, version);
  json.key("NetworkSettings");
  writeNetworkSettings(json, container, version);
  writeExtension(json, container.lastChange);
  json.endObject();
  sendWritten(call, json);
}

function writeState(json: JsonWriter, container: Container): void {
  json.key("State");
  json.beginObject();
  json.stringField("Status", container.word);
  json.boolField("Running", container.up);
  json.boolField("Paused", container.status == Status.Paused);
  json.boolField("Restarting", container.restarting);
  json.boolField("OOMKilled", container.outOfMemory);
  json.boolField("Dead", container.status == Status.Dead);
  json.i64Field("Pid", container.running ? container.pid : 0);
  json.i64Field("ExitCode", container.exitCode);
  json.stringField("Error", container.error);
  json.stringField("StartedAt", formatTime(container.startedAt));
  json.stringField("FinishedAt", formatTime(container.finishedAt));
  const health = container.health;
  if (health !== null) writeHealth(json.key("Health"), health);
  json.endObject();
}

/** Empty until the first start. A container on another's network has that container's paths, even after its removal. */
function writePaths(json: JsonWriter, container: Container): void {
  const owner = filesOwner(container);
  const files = `${engine.options.dataRoot}/containers/${owner}`;
  const has = container.run > 0 && owner.length > 0;
  json.stringField("ResolvConfPath", has ? `${files}/resolv.conf` : "");
  json.stringField("HostnamePath", has ? `${files}/hostname` : "");
  json.stringField("HostsPath", has ? `${files}/hosts` : "");
  // Clients do not see the files of other log drivers, as in Docker.
  const hasLog = container.run > 0 && logDriverOf(container) == "json-file";
  json.stringField("LogPath", hasLog ? `${engine.options.dataRoot}/containers/${container.id}/log` : "");
}

/**
 * The container whose files these are. Empty for a container on another's network without files. One that is running
 * with a copy of its own was started by an earlier version of the engine.
 */
function filesOwner(container: Container): string {
  const isAlone = otherIn(container.networkMode).length == 0 || container.filesOf.length > 0;
  if (isAlone) return container.filesOf.length > 0 ? container.filesOf : container.id;
  return container.running ? container.id : "";
}

function writeGraphDriver(json: JsonWriter, container: Container): void {
  const files = `${engine.options.dataRoot}/containers/${container.id}`;
  json.key("GraphDriver");
  json.beginObject();
  json.key("Data");
  json.beginObject();
  json.stringField("MergedDir", `${engine.options.execRoot}/containers/${container.id}/rootfs`);
  json.stringField("UpperDir", `${files}/upper`);
  json.stringField("WorkDir", `${files}/work`);
  json.endObject();
  json.stringField("Name", engine.options.machine.storageDriver);
  json.endObject();
}

function writeSizes(json: JsonWriter, container: Container, written: i64): void {
  const image = imageStore.find(container.imageId);
  json.i64Field("SizeRw", written);
  json.i64Field("SizeRootFs", written + (image === null ? 0 : <i64>image.size));
}
