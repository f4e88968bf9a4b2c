// `linux.resources`: limits and devices of a container.

import { Json } from "../../json/json";
import { JsonWriter } from "../../json/writer";
import { boundedShares } from "./cpu-shares";
import { readRule } from "./device-rules";

/** NanoCpus become a quota with this period, in microseconds. */
const PERIOD: i64 = 100_000;

/** Limits and allowed devices. */
export function writeResources(json: JsonWriter, hostConfig: Json): void {
  json.beginObject();
  writeDevices(json, hostConfig);
  writeLimits(json, hostConfig, false);
  json.endObject();
}

/** All limits that can change while a container is running. */
export function limitsOf(hostConfig: Json): Uint8Array {
  const json = new JsonWriter();
  json.beginObject();
  writeLimits(json, hostConfig, true);
  if (hostConfig.i64Of("PidsLimit") <= 0) {
    json.key("pids");
    json.beginObject();
    json.i64Field("limit", -1);
    json.endObject();
  }
  json.endObject();
  return json.finish();
}

/**
 * `changes`: the limits replace those of an existing cgroup. A new cgroup
 * has no limits, and some runtimes fail when they are told to remove them.
 */
function writeLimits(json: JsonWriter, hostConfig: Json, changes: bool): void {
  writeMemory(json, hostConfig, changes);
  writeCpu(json, hostConfig, changes);
  const pids = hostConfig.i64Of("PidsLimit");
  if (pids > 0) {
    json.key("pids");
    json.beginObject();
    json.i64Field("limit", pids);
    json.endObject();
  }
  const weight = hostConfig.i64Of("BlkioWeight");
  if (weight > 0) {
    json.key("blockIO");
    json.beginObject();
    json.i64Field("weight", weight);
    json.endObject();
  }
}

function writeMemory(json: JsonWriter, hostConfig: Json, changes: bool): void {
  const limit = hostConfig.i64Of("Memory");
  const reservation = hostConfig.i64Of("MemoryReservation");
  const swap = hostConfig.i64Of("MemorySwap");
  const swappiness = hostConfig.find("MemorySwappiness");
  const swaps = swappiness !== null && !swappiness.isNull && hostConfig.i64Of("MemorySwappiness") >= 0;
  const unkillable = hostConfig.boolOf("OomKillDisable");
  // A new cgroup has no swap limit, and create refuses a swap limit without a memory limit.
  const swapOnly = changes && swap != 0;
  if (limit == 0 && reservation == 0 && !swaps && !unkillable && !swapOnly) return;
  json.key("memory");
  json.beginObject();
  if (limit > 0) json.i64Field("limit", limit);
  if (reservation > 0) json.i64Field("reservation", reservation);
  if (swap != 0) json.i64Field("swap", swap);
  if (swaps) json.i64Field("swappiness", hostConfig.i64Of("MemorySwappiness"));
  if (unkillable) json.boolField("disableOOMKiller", true);
  json.endObject();
}

function writeCpu(json: JsonWriter, hostConfig: Json, changes: bool): void {
  const nano = hostConfig.i64Of("NanoCpus");
  const shares = boundedShares(hostConfig);
  const quota = nano > 0 ? (nano * PERIOD) / 1_000_000_000 : hostConfig.i64Of("CpuQuota");
  const period = nano > 0 ? PERIOD : hostConfig.i64Of("CpuPeriod");
  const realtimePeriod = hostConfig.i64Of("CpuRealtimePeriod");
  const realtimeRuntime = hostConfig.i64Of("CpuRealtimeRuntime");
  const cpus = hostConfig.stringOf("CpusetCpus");
  const nodes = hostConfig.stringOf("CpusetMems");
  json.key("cpu");
  json.beginObject();
  if (shares > 0) json.i64Field("shares", shares);
  if (quota > 0) json.i64Field("quota", quota);
  else if (quota < 0 && changes) json.i64Field("quota", -1);
  if (period > 0) json.i64Field("period", period);
  if (realtimePeriod > 0) json.i64Field("realtimePeriod", realtimePeriod);
  if (realtimeRuntime > 0) json.i64Field("realtimeRuntime", realtimeRuntime);
  if (cpus.length > 0) json.stringField("cpus", cpus);
  if (nodes.length > 0) json.stringField("mems", nodes);
  json.endObject();
}

/**
 * A privileged container may use every device. Otherwise all devices are denied, except those that every container has
 * and those that rules allow. The host adds the devices given to the container.
 */
function writeDevices(json: JsonWriter, hostConfig: Json): void {
  const privileged = hostConfig.boolOf("Privileged");
  json.key("devices");
  json.beginArray();
  json.beginObject();
  json.boolField("allow", privileged);
  json.stringField("access", "rwm");
  json.endObject();
  if (!privileged) writeRules(json, hostConfig);
  json.endArray();
}

/** Docker's devices (moby's oci/defaults.go), in its order. A runtime adds its own: terminals, and `full`. */
function writeRules(json: JsonWriter, hostConfig: Json): void {
  writeRule(json, true, 1, 5); // zero
  writeRule(json, true, 1, 3); // null
  writeRule(json, true, 1, 9); // urandom
  writeRule(json, true, 1, 8); // random
  writeRule(json, true, 5, 0); // tty
  writeRule(json, true, 5, 1); // console
  writeRule(json, false, 10, 229); // fuse
  const rules = hostConfig.stringsOf("DeviceCgroupRules");
  for (let i = 0; i < rules.length; i++) readRule(rules[i])!.write(json);
}

function writeRule(json: JsonWriter, allow: bool, major: i64, minor: i64): void {
  json.beginObject();
  json.boolField("allow", allow);
  json.stringField("type", "c");
  json.i64Field("major", major);
  json.i64Field("minor", minor);
  json.stringField("access", "rwm");
  json.endObject();
}
