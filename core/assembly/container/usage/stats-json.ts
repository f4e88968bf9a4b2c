// A record of GET /containers/{id}/stats (surface §2.12, §6.5), from the kernel's counters to Docker's fields.

import { BlockCount, BlockCounter, InterfaceCount, Sample, Traffic } from "../../../../build/bindings/types";
import { JsonWriter } from "../../json/writer";
import { engine } from "../../state";
import { formatTime, NO_TIME } from "../../text/time";
import { Container } from "../container";

/** Names of the lists, in the order of the counters. */
const BLOCK_LISTS: string[] = [
  "io_service_bytes_recursive",
  "io_serviced_recursive",
  "io_queue_recursive",
  "io_service_time_recursive",
  "io_wait_time_recursive",
  "io_merged_recursive",
  "io_time_recursive",
  "sectors_recursive",
];
/** From this version on, the record has the operating system. */
const WITH_SYSTEM = 52;

/** `sample`: null for a container that is not running. `before`: null if there is no earlier sample. */
export function statsRecord(
  container: Container,
  sample: Sample | null,
  before: Sample | null,
  version: i32,
): Uint8Array {
  const json = new JsonWriter();
  json.beginObject();
  json.stringField("read", formatTime(sample === null ? NO_TIME : sample.at));
  json.stringField("preread", formatTime(before === null ? NO_TIME : before.at));
  writePids(json, sample);
  writeBlocks(json, sample);
  json.i64Field("num_procs", 0);
  json.key("storage_stats");
  json.beginObject();
  json.endObject();
  json.key("cpu_stats");
  writeCpu(json, sample);
  json.key("precpu_stats");
  writeCpu(json, before);
  writeMemory(json, sample);
  json.stringField("name", `/${container.name}`);
  json.stringField("id", container.id);
  if (version >= WITH_SYSTEM) json.stringField("os_type", engine.options.machine.os);
  // A container on the host network has no interfaces of its own.
  if (sample !== null && container.networkMode != "host") writeNetworks(json, sample.interfaces);
  json.endObject();
  return json.line().finish();
}

/** For "no limit" cgroup v2 has a number and v1 omits the field, as Docker shows them. */
function writePids(json: JsonWriter, sample: Sample | null): void {
  json.key("pids_stats");
  json.beginObject();
  if (sample !== null && sample.pids > 0) {
    writeCount(json, "current", sample.pids);
    const limit = sample.pidsLimit;
    if (limit !== null) writeCount(json, "limit", limit.value);
    else if (isVersion2()) writeCount(json, "limit", u64.MAX_VALUE);
  }
  json.endObject();
}

function isVersion2(): bool {
  return engine.options.machine.cgroupVersion == "2";
}

/** Lists that this version of cgroups does not have are null. */
function writeBlocks(json: JsonWriter, sample: Sample | null): void {
  const blocks: BlockCount[] | null = sample === null ? null : sample.blocks;
  json.key("blkio_stats");
  json.beginObject();
  for (let counter = 0; counter < BLOCK_LISTS.length; counter++) {
    const counted = blocks !== null && (counter == BlockCounter.ServiceBytes || !isVersion2());
    if (counted) writeBlockList(json, blocks!, counter);
    else json.nullField(BLOCK_LISTS[counter]);
  }
  json.endObject();
}

function writeBlockList(json: JsonWriter, blocks: BlockCount[], counter: i32): void {
  json.key(BLOCK_LISTS[counter]);
  json.beginArray();
  for (let i = 0; i < blocks.length; i++) {
    if (blocks[i].counter != counter) continue;
    json.beginObject();
    writeCount(json, "major", blocks[i].major);
    writeCount(json, "minor", blocks[i].minor);
    json.stringField("op", blocks[i].operation);
    writeCount(json, "value", blocks[i].value);
    json.endObject();
  }
  json.endArray();
}

function writeCpu(json: JsonWriter, sample: Sample | null): void {
  json.beginObject();
  json.key("cpu_usage");
  json.beginObject();
  writeCount(json, "total_usage", sample === null ? 0 : sample.cpu);
  if (sample !== null && sample.perCpu.length > 0) {
    json.key("percpu_usage");
    json.beginArray();
    for (let i = 0; i < sample.perCpu.length; i++) json.u64(sample.perCpu[i]);
    json.endArray();
  }
  writeCount(json, "usage_in_kernelmode", sample === null ? 0 : sample.cpuKernel);
  writeCount(json, "usage_in_usermode", sample === null ? 0 : sample.cpuUser);
  json.endObject();
  if (sample !== null) {
    writeCount(json, "system_cpu_usage", sample.machineCpu);
    writeCount(json, "online_cpus", sample.onlineCpus);
  }
  json.key("throttling_data");
  json.beginObject();
  writeCount(json, "periods", sample === null ? 0 : sample.periods);
  writeCount(json, "throttled_periods", sample === null ? 0 : sample.throttledPeriods);
  writeCount(json, "throttled_time", sample === null ? 0 : sample.throttled);
  json.endObject();
  json.endObject();
}

function writeMemory(json: JsonWriter, sample: Sample | null): void {
  json.key("memory_stats");
  json.beginObject();
  if (sample !== null) {
    writeNonZero(json, "usage", sample.memory);
    const peak = sample.memoryPeak;
    if (peak !== null) writeNonZero(json, "max_usage", peak.value);
    writeMemoryTable(json, sample);
    writeNonZero(json, "failcnt", sample.memoryFailures);
    writeNonZero(json, "limit", limitOf(sample));
  }
  json.endObject();
}

/** Sorted by name, as Go writes maps. */
function writeMemoryTable(json: JsonWriter, sample: Sample): void {
  const values = new Map<string, u64>();
  for (let i = 0; i < sample.memoryStat.length; i++)
    values.set(sample.memoryStat[i].first, sample.memoryStat[i].second);
  if (values.size == 0) return;
  const names = values.keys().sort();
  json.key("stats");
  json.beginObject();
  for (let i = 0; i < names.length; i++) writeCount(json, names[i], values.get(names[i]));
  json.endObject();
}

/** The limit is at most the machine's memory. */
function limitOf(sample: Sample): u64 {
  const machine = engine.options.machine.memory;
  const limit = sample.memoryLimit;
  return limit === null || limit.value > machine ? machine : limit.value;
}

function writeNetworks(json: JsonWriter, interfaces: InterfaceCount[]): void {
  if (interfaces.length == 0) return;
  json.key("networks");
  json.beginObject();
  for (let i = 0; i < interfaces.length; i++) {
    json.key(interfaces[i].name);
    json.beginObject();
    writeTraffic(json, "rx", interfaces[i].received);
    writeTraffic(json, "tx", interfaces[i].sent);
    json.endObject();
  }
  json.endObject();
}

function writeTraffic(json: JsonWriter, way: string, traffic: Traffic): void {
  writeCount(json, `${way}_bytes`, traffic.bytes);
  writeCount(json, `${way}_packets`, traffic.packets);
  writeCount(json, `${way}_errors`, traffic.errors);
  writeCount(json, `${way}_dropped`, traffic.dropped);
}

function writeCount(json: JsonWriter, name: string, value: u64): void {
  json.key(name).u64(value);
}

function writeNonZero(json: JsonWriter, name: string, value: u64): void {
  if (value > 0) writeCount(json, name, value);
}
