// `linux.resources`: limits and devices of a container.

import { Json } from "../json/json";
import { JsonWriter } from "../json/writer";

/** NanoCpus are turned into a quota of this period, in microseconds. */
const PERIOD: i64 = 100_000;

export function writeResources(json: JsonWriter, hostConfig: Json): void {
  json.beginObject();
  writeDevices(json);
  writeMemory(json, hostConfig);
  writeCpu(json, hostConfig);
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
  json.endObject();
}

function writeMemory(json: JsonWriter, hostConfig: Json): void {
  const limit = hostConfig.i64Of("Memory");
  const reservation = hostConfig.i64Of("MemoryReservation");
  const swap = hostConfig.i64Of("MemorySwap");
  if (limit == 0 && reservation == 0) return;
  json.key("memory");
  json.beginObject();
  if (limit > 0) json.i64Field("limit", limit);
  if (reservation > 0) json.i64Field("reservation", reservation);
  if (swap != 0) json.i64Field("swap", swap);
  json.endObject();
}

function writeCpu(json: JsonWriter, hostConfig: Json): void {
  const nano = hostConfig.i64Of("NanoCpus");
  const shares = hostConfig.i64Of("CpuShares");
  const quota = nano > 0 ? (nano * PERIOD) / 1_000_000_000 : hostConfig.i64Of("CpuQuota");
  const period = nano > 0 ? PERIOD : hostConfig.i64Of("CpuPeriod");
  const cpus = hostConfig.stringOf("CpusetCpus");
  const nodes = hostConfig.stringOf("CpusetMems");
  json.key("cpu");
  json.beginObject();
  if (shares > 0) json.i64Field("shares", shares);
  if (quota != 0) json.i64Field("quota", quota);
  if (period > 0) json.i64Field("period", period);
  if (cpus.length > 0) json.stringField("cpus", cpus);
  if (nodes.length > 0) json.stringField("mems", nodes);
  json.endObject();
}

/** Everything is denied but the devices that every container has; the runtime adds terminals (OCI config-linux). */
function writeDevices(json: JsonWriter): void {
  json.key("devices");
  json.beginArray();
  json.beginObject();
  json.boolField("allow", false);
  json.stringField("access", "rwm");
  json.endObject();
  allow(json, 1, 3); // null
  allow(json, 1, 5); // zero
  allow(json, 1, 7); // full
  allow(json, 1, 8); // random
  allow(json, 1, 9); // urandom
  allow(json, 5, 0); // tty
  json.endArray();
}

function allow(json: JsonWriter, major: i64, minor: i64): void {
  json.beginObject();
  json.boolField("allow", true);
  json.stringField("type", "c");
  json.i64Field("major", major);
  json.i64Field("minor", minor);
  json.stringField("access", "rwm");
  json.endObject();
}
