// GET /info (surface §6.5; differences by version: §3). Left out because they do
// not exist here, as Docker does: `Containerd` (1.46), `DiscoveredDevices` (1.50;
// no CDI), `NRI` (1.53) and `DefaultAddressPools` (Docker's defaults apply).

import {
  Failure,
  Machine,
  OciRuntime,
  Outcome,
  OutcomeOwnProcess,
  OwnProcess,
  ProcessCommand,
  ProcessCommandTag,
} from "../../../build/bindings/types";
import { askProcesses } from "../ask";
import { Call } from "../call";
import { Status } from "../container/lifecycle";
import { daemonKeeping } from "../container/output/log-config";
import { containerStore } from "../container/store";
import { eventRing } from "../event/ring";
import { imageStore } from "../image/store";
import { JsonWriter } from "../json/writer";
import { setAside } from "../records/set-aside";
import { Refusal } from "../refusal";
import { line, sendJson } from "../reply";
import { engine } from "../state";
import { Task } from "../task";
import { byteSize } from "../text/byte-size";
import { formatTime } from "../text/time";
import { forwardsIpv4, machineWarnings, securityOptions, storageStatus } from "./machine-facts";
import { writeRegistries } from "./registries";

/** OCI runtime-spec, features.md. */
const FEATURES = "org.opencontainers.runtime-spec.features";

/** Docker's value when file descriptors could not be counted. */
const UNCOUNTED: i64 = -1;

export function systemInfo(call: Call): Refusal | null {
  askProcesses(new Counting(call), 0, new ProcessCommand(ProcessCommandTag.CountOwn));
  return null;
}

/** Asks the host for the number of open file descriptors. The rest is read when the answer is written. */
class Counting extends Task {
  constructor(private readonly call: Call) {
    super();
  }

  ended(_step: i32, outcome: Outcome | null, _failure: Failure | null): void {
    sendInfo(this.call, outcome === null ? null : (<OutcomeOwnProcess>outcome).value);
  }
}

function sendInfo(call: Call, own: OwnProcess | null): void {
  const json = new JsonWriter();
  json.beginObject();
  json.stringField("ID", engine.id);
  writeCounts(json);
  writeStorage(json);
  writePlugins(json);
  writeAbilities(json, call.version);
  writeDebug(json, own);
  writeMachine(json);
  writeRegistries(json, call.version);
  writeRuntimes(json, call.version);
  writeSwarm(json);
  writeRest(json, call.version);
  json.endObject();
  sendJson(call, 200, line(json));
}

function writeCounts(json: JsonWriter): void {
  const all = containerStore.all();
  let running = 0;
  let paused = 0;
  for (let i = 0; i < all.length; i++) {
    if (all[i].status == Status.Paused) paused += 1;
    // A container that waits for its restart counts as stopped, as in Docker.
    else if (all[i].word == "running") running += 1;
  }
  json.i64Field("Containers", all.length);
  json.i64Field("ContainersRunning", running);
  json.i64Field("ContainersPaused", paused);
  json.i64Field("ContainersStopped", all.length - running - paused);
  json.i64Field("Images", imageStore.shownCount);
}

function writeStorage(json: JsonWriter): void {
  const machine = engine.options.machine;
  json.stringField("Driver", machine.storageDriver);
  json.key("DriverStatus");
  json.beginArray();
  const status = storageStatus(machine);
  for (let i = 0; i < status.length; i++) writePair(json, status[i][0], status[i][1]);
  writePair(json, "Logs", logsText());
  json.endArray();
}

function writePair(json: JsonWriter, name: string, value: string): void {
  json.beginArray();
  json.string(name);
  json.string(value);
  json.endArray();
}

/** The limits of a container's log; Docker has no field for them. */
function logsText(): string {
  const keeping = daemonKeeping();
  if (keeping.passing) return "not kept";
  return `at most ${keeping.files.toString()} x ${byteSize(keeping.fileBytes)} a container`;
}

function writePlugins(json: JsonWriter): void {
  json.key("Plugins");
  json.beginObject();
  json.stringArrayField("Volume", ["local"]);
  json.stringArrayField("Network", ["bridge", "host", "ipvlan", "macvlan", "null"]);
  json.nullField("Authorization");
  json.stringArrayField("Log", ["json-file", "local"]);
  json.endObject();
}

function writeAbilities(json: JsonWriter, version: i32): void {
  const machine = engine.options.machine;
  json.boolField("MemoryLimit", machine.memoryLimit);
  json.boolField("SwapLimit", machine.swapLimit);
  if (version < 42) {
    json.boolField("KernelMemory", false);
    json.boolField("KernelMemoryTCP", false);
  }
  json.boolField("CpuCfsPeriod", machine.cpuCfs);
  json.boolField("CpuCfsQuota", machine.cpuCfs);
  json.boolField("CPUShares", machine.cpuShares);
  json.boolField("CPUSet", machine.cpuset);
  json.boolField("PidsLimit", machine.pidsLimit);
  json.boolField("IPv4Forwarding", forwardsIpv4(engine.options));
  if (version < 50) {
    // From 1.48 on, clients are told that bridge-nf does not matter (surface §3.2).
    json.boolField("BridgeNfIptables", version < 48 && machine.bridgeNfIptables);
    json.boolField("BridgeNfIp6tables", version < 48 && machine.bridgeNfIp6tables);
  }
}

function writeDebug(json: JsonWriter, own: OwnProcess | null): void {
  json.boolField("Debug", engine.options.debug);
  json.i64Field("NFd", own === null ? UNCOUNTED : own.descriptors);
  json.boolField("OomKillDisable", engine.options.machine.cgroupVersion == "1");
  json.i64Field("NGoroutines", own === null ? UNCOUNTED : own.tasks);
  json.stringField("SystemTime", formatTime(engine.now.wall));
  json.stringField("LoggingDriver", engine.options.logDriver);
  json.stringField("CgroupDriver", engine.options.machine.cgroupDriver);
  json.stringField("CgroupVersion", engine.options.machine.cgroupVersion);
  json.i64Field("NEventsListener", eventRing.readerCount);
}

function writeMachine(json: JsonWriter): void {
  const machine = engine.options.machine;
  json.stringField("KernelVersion", machine.kernelVersion);
  json.stringField("OperatingSystem", machine.operatingSystem);
  json.stringField("OSVersion", machine.osVersion);
  json.stringField("OSType", machine.os);
  json.stringField("Architecture", machine.kernelArchitecture);
  json.i64Field("NCPU", machine.cpus);
  json.i64Field("MemTotal", <i64>machine.memory);
  json.stringField("Name", machine.name);
}

function writeRuntimes(json: JsonWriter, version: i32): void {
  const options = engine.options;
  json.key("Runtimes");
  json.beginObject();
  for (let i = 0; i < options.runtimes.length; i++) {
    json.key(options.runtimes[i].name);
    json.beginObject();
    json.stringField("path", options.runtimes[i].path);
    if (version >= 44) writeRuntimeStatus(json, options.runtimes[i].features);
    json.endObject();
  }
  json.endObject();
  json.stringField("DefaultRuntime", options.defaultRuntime);
  writeCommit(json, "ContainerdCommit", "", version);
  writeCommit(json, "RuncCommit", defaultCommit(options.runtimes), version);
  const init = options.machine.init;
  writeCommit(json, "InitCommit", init === null ? "" : init.commit, version);
}

/** The features that a runtime reported; without a report there is no status. */
function writeRuntimeStatus(json: JsonWriter, features: string): void {
  if (features.length == 0) return;
  json.key("status").beginObject().stringField(FEATURES, features).endObject();
}

function defaultCommit(runtimes: OciRuntime[]): string {
  for (let i = 0; i < runtimes.length; i++) {
    if (runtimes[i].name == engine.options.defaultRuntime) return runtimes[i].commit;
  }
  return "";
}

/** `Expected` was removed in 1.49; before that it repeats the id. */
function writeCommit(json: JsonWriter, name: string, commit: string, version: i32): void {
  json.key(name);
  json.beginObject();
  json.stringField("ID", commit);
  if (version < 49) json.stringField("Expected", commit);
  json.endObject();
}

function writeSwarm(json: JsonWriter): void {
  json.key("Swarm");
  json.beginObject();
  json.stringField("NodeID", "");
  json.stringField("NodeAddr", "");
  json.stringField("LocalNodeState", "inactive");
  json.boolField("ControlAvailable", false);
  json.stringField("Error", "");
  json.nullField("RemoteManagers");
  json.endObject();
}

function writeRest(json: JsonWriter, version: i32): void {
  const machine: Machine = engine.options.machine;
  json.nullField("GenericResources");
  json.stringField("DockerRootDir", engine.options.dataRoot);
  json.stringField("HttpProxy", engine.options.proxies.http);
  json.stringField("HttpsProxy", engine.options.proxies.https);
  json.stringField("NoProxy", engine.options.proxies.none);
  json.stringArrayField("Labels", engine.options.labels);
  json.boolField("ExperimentalBuild", false);
  json.stringField("ServerVersion", engine.options.version);
  json.boolField("LiveRestoreEnabled", true);
  json.stringField("Isolation", "");
  const init = machine.init;
  json.stringField("InitBinary", init === null ? "" : init.path.slice(init.path.lastIndexOf("/") + 1));
  json.stringArrayField("SecurityOptions", securityOptions(machine, version));
  if (version >= 44) json.stringArrayField("CDISpecDirs", []);
  if (version >= 49 && machine.firewall.length > 0) {
    json.key("FirewallBackend");
    json.beginObject();
    json.stringField("Driver", machine.firewall);
    json.endObject();
  }
  writeWarnings(json, machineWarnings(engine.options).concat(setAside.warnings()));
}

function writeWarnings(json: JsonWriter, warnings: string[]): void {
  if (warnings.length == 0) json.nullField("Warnings");
  else json.stringArrayField("Warnings", warnings);
}
