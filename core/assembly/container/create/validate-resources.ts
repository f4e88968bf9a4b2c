// Checks limits for invalid values and refuses settings that only Windows has, in Docker's words (surface §2.14).

import { Json } from "../../json/json";
import { quoteText } from "../../text/go-quote";
import { KernelFacts } from "./unsupported-limits";

/**
 * What is wrong with the limits of a `HostConfig`; empty if nothing is. `cpus`: number of the machine's processors.
 * `updates`: fields that are not set stay unchanged.
 */
export function resourceProblem(host: Json, cpus: i32, kernel: KernelFacts, updates: bool = false): string {
  let problem = memoryProblem(host, updates);
  if (problem.length == 0) problem = schedulerProblem(host, kernel);
  if (problem.length == 0) problem = cpuProblem(host, cpus);
  if (problem.length == 0) problem = cpusetProblem(host, kernel);
  if (problem.length > 0) return problem;
  const weight = host.i64Of("BlkioWeight");
  if (weight > 0 && (weight < 10 || weight > 1000)) return "Range of blkio weight is from 10 to 1000";
  const score = host.i64Of("OomScoreAdj");
  if (score < -1000 || score > 1000) {
    return `Invalid value ${score.toString()}, range for oom score adj is [-1000, 1000]`;
  }
  return host.i64Of("ShmSize") < 0 ? "SHM size can not be less than 0" : "";
}

/** These exist on Windows only, and Linux has no equivalent. */
export function qualityProblem(host: Json): string {
  const names = ["IOMaximumBandwidth", "IOMaximumIOps"];
  for (let i = 0; i < names.length; i++) {
    const value = host.find(names[i]);
    if (value === null || value.isNull || value.text == "0") continue;
    return "Invalid QoS settings: linux does not support Maximum IO Bandwidth or Maximum IO IOps";
  }
  return "";
}

/** Only Windows has other values than the default. */
export function isolationProblem(host: Json): string {
  const isolation = host.stringOf("Isolation");
  if (isolation.length == 0 || isolation.toLowerCase() == "default") return "";
  return `Invalid isolation: ${quoteText(isolation)} - linux only supports 'default'`;
}

/** -1 and null leave the setting alone. */
export function swappinessProblem(host: Json): string {
  const value = host.i64Of("MemorySwappiness");
  return value < -1 || value > 100 ? `Invalid value: ${value.toString()}, valid memory swappiness range is 0-100` : "";
}

/** The highest number that Docker accepts in a cpuset. */
const LARGEST_IN_SET: i32 = 8192;
const MIN_MEMORY: i64 = 6 * 1024 * 1024;

function memoryProblem(host: Json, updates: bool): string {
  const memory = host.i64Of("Memory");
  const swap = host.i64Of("MemorySwap");
  const reservation = host.i64Of("MemoryReservation");
  if (memory != 0 && memory < MIN_MEMORY) return "Minimum memory limit allowed is 6MB";
  if (memory > 0 && swap > 0 && swap < memory) {
    return "Minimum memoryswap limit should be larger than memory limit, see usage";
  }
  if (memory == 0 && swap > 0 && !updates)
    return "You should always set the Memory limit when using Memoryswap limit, see usage";
  const swappiness = swappinessProblem(host);
  if (swappiness.length > 0) return swappiness;
  // A negative value means no reservation, which only create accepts.
  if ((updates ? reservation != 0 : reservation > 0) && reservation < MIN_MEMORY) {
    return "Minimum memory reservation allowed is 6MB";
  }
  if (memory > 0 && reservation > 0 && memory < reservation) {
    return "Minimum memory limit can not be less than memory reservation limit, see usage";
  }
  return "";
}

// Without these kernel features there would be no limit at all, so Docker refuses instead of warning.
function schedulerProblem(host: Json, kernel: KernelFacts): string {
  if (!kernel.cpuCfs && host.i64Of("NanoCpus") > 0) {
    return "NanoCPUs can not be set, as your kernel does not support CPU CFS scheduler or the cgroup is not mounted";
  }
  const period = host.i64Of("CpuRealtimePeriod");
  const runtime = host.i64Of("CpuRealtimeRuntime");
  if (period == 0 && runtime == 0) return "";
  if (!kernel.cpuRealtime) return "Your kernel does not support CPU real-time scheduler";
  if (period < 0 || runtime < 0) return "cpu real-time period and runtime can not be negative";
  return period > 0 && runtime > period ? "cpu real-time runtime cannot be higher than cpu real-time period" : "";
}

function cpuProblem(host: Json, cpus: i32): string {
  const nano = host.i64Of("NanoCpus");
  const period = host.i64Of("CpuPeriod");
  const quota = host.i64Of("CpuQuota");
  if (nano > 0 && period > 0) return "Conflicting options: Nano CPUs and CPU Period cannot both be set";
  if (nano > 0 && quota > 0) return "Conflicting options: Nano CPUs and CPU Quota cannot both be set";
  if (nano < 0 || nano > <i64>cpus * 1_000_000_000) {
    const count = cpus.toString();
    return `range of CPUs is from 0.01 to ${count}.00, as there are only ${count} CPUs available`;
  }
  if (host.i64Of("CpuShares") < 0) {
    return `invalid CPU shares (${host.i64Of("CpuShares").toString()}): value must be a positive integer`;
  }
  if (period != 0 && (period < 1000 || period > 1_000_000)) {
    return "CPU cfs period can not be less than 1ms (i.e. 1000) or larger than 1s (i.e. 1000000)";
  }
  return quota > 0 && quota < 1000 ? "CPU cfs quota can not be less than 1ms (i.e. 1000)" : "";
}

function cpusetProblem(host: Json, kernel: KernelFacts): string {
  const cpus = host.stringOf("CpusetCpus");
  const noCpus = cpusetFault(cpus);
  if (noCpus.length > 0) return `Invalid value ${cpus} for cpuset cpus: ${noCpus}`;
  if (!hasAll(kernel.processors, cpus)) {
    return `Requested CPUs are not available - requested ${cpus}, available: ${kernel.processors}`;
  }
  const nodes = host.stringOf("CpusetMems");
  const noNodes = cpusetFault(nodes);
  if (noNodes.length > 0) return `Invalid value ${nodes} for cpuset mems: ${noNodes}`;
  if (hasAll(kernel.memoryNodes, nodes)) return "";
  return `Requested memory nodes are not available - requested ${nodes}, available: ${kernel.memoryNodes}`;
}

/** Whether the set `set` includes `wanted`. An unknown set includes everything. */
function hasAll(set: string, wanted: string): bool {
  if (set.length == 0 || wanted.length == 0) return true;
  const there = new Set<i32>();
  const has = set.split(",");
  for (let i = 0; i < has.length; i++) for (let n = first(has[i]); n <= last(has[i]); n++) there.add(n);
  const ranges = wanted.split(",");
  for (let i = 0; i < ranges.length; i++) {
    for (let n = first(ranges[i]); n <= last(ranges[i]); n++) if (!there.has(n)) return false;
  }
  return true;
}

function first(range: string): i32 {
  return I32.parseInt(range.split("-")[0], 10);
}

function last(range: string): i32 {
  const ends = range.split("-");
  return I32.parseInt(ends[ends.length - 1], 10);
}

/** What is wrong with a set such as `0-2,4`; empty if nothing is. */
function cpusetFault(text: string): string {
  if (text.length == 0) return "";
  const format = `invalid format: ${text}`;
  const ranges = text.split(",");
  let largest = 0;
  for (let i = 0; i < ranges.length; i++) {
    const ends = ranges[i].split("-");
    if (ends.length > 2) return format;
    for (let j = 0; j < ends.length; j++) if (!isNumber(ends[j])) return format;
    if (last(ranges[i]) < first(ranges[i])) return format;
    largest = max(largest, last(ranges[i]));
  }
  return largest > LARGEST_IN_SET ? `value of out range, maximum is ${LARGEST_IN_SET.toString()}` : "";
}

/** At most nine digits: no processor has a larger number. */
function isNumber(text: string): bool {
  if (text.length == 0 || text.length > 9) return false;
  for (let i = 0; i < text.length; i++) {
    if (text.charCodeAt(i) < 0x30 || text.charCodeAt(i) > 0x39) return false;
  }
  return true;
}
