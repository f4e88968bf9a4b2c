// Removes limits that the machine's kernel does not support, and warns the client (surface §2.14).

import { Machine } from "../../../../build/bindings/types";
import { isZero } from "../../json/asked";
import { Json } from "../../json/json";

/** Which limits the kernel supports. */
export class KernelFacts {
  memoryLimit: bool = true;
  swapLimit: bool = true;
  memoryReservation: bool = true;
  swappiness: bool = true;
  oomKillDisable: bool = true;
  pidsLimit: bool = true;
  cpuShares: bool = true;
  cpuCfs: bool = true;
  cpuset: bool = true;
  blkioWeight: bool = true;
  blkioRates: bool = true;
  cpuRealtime: bool = true;
  /** Processors and memory nodes of the machine, as in `0-3,6`; empty if unknown. */
  processors: string = "";
  memoryNodes: string = "";
}

export function kernelFacts(machine: Machine): KernelFacts {
  const facts = new KernelFacts();
  facts.memoryLimit = machine.memoryLimit;
  facts.swapLimit = machine.swapLimit;
  facts.memoryReservation = machine.memoryReservation;
  facts.swappiness = machine.swappiness;
  facts.oomKillDisable = machine.oomKillDisable;
  facts.pidsLimit = machine.pidsLimit;
  facts.cpuShares = machine.cpuShares;
  facts.cpuCfs = machine.cpuCfs;
  facts.cpuset = machine.cpuset;
  facts.blkioWeight = machine.blkioWeight;
  facts.blkioRates = machine.blkioRates;
  facts.cpuRealtime = machine.cpuRealtime;
  facts.processors = machine.cpusetCpus;
  facts.memoryNodes = machine.cpusetMems;
  return facts;
}

/**
 * Removes from a normalised `HostConfig`, in place, what the kernel
 * does not support. Returns the warnings, in Docker's words.
 */
export function dropUnsupported(host: Json, kernel: KernelFacts): string[] {
  const warnings: string[] = [];
  dropMemory(warnings, host, kernel);
  dropProcessor(warnings, host, kernel);
  if (!kernel.blkioWeight) {
    drop(warnings, host, ["BlkioWeight"], ZERO, `Block I/O weight ${NOT_MOUNTED} Weight discarded.`);
    const text = `Block I/O weight_device ${NOT_MOUNTED} Weight-device discarded.`;
    drop(warnings, host, ["BlkioWeightDevice"], NONE, text);
  }
  if (!kernel.blkioRates) {
    dropRate(warnings, host, "BlkioDeviceReadBps", "BPS Block I/O read", "Block I/O BPS read");
    dropRate(warnings, host, "BlkioDeviceWriteBps", "BPS Block I/O write", "Block I/O BPS write");
    dropRate(warnings, host, "BlkioDeviceReadIOps", "IOPS Block read", "Block I/O IOPS read");
    dropRate(warnings, host, "BlkioDeviceWriteIOps", "IOPS Block write", "Block I/O IOPS write");
  }
  return warnings;
}

const NOT_MOUNTED: string = "or the cgroup is not mounted.";
const ZERO: Json = Json.i64(0);
const UNLIMITED: Json = Json.i64(-1);
const EMPTY: Json = Json.string("");
const NO: Json = Json.bool(false);
const NONE: Json = Json.null();

function dropMemory(warnings: string[], host: Json, kernel: KernelFacts): void {
  if (!kernel.memoryLimit && host.i64Of("Memory") > 0) {
    drop(warnings, host, ["Memory"], ZERO, `memory limit capabilities ${NOT_MOUNTED} Limitation discarded.`);
    host.set("MemorySwap", UNLIMITED);
  }
  if (!kernel.swapLimit && host.i64Of("Memory") > 0 && host.i64Of("MemorySwap") != -1) {
    warnings.push(missing(`swap limit capabilities ${NOT_MOUNTED} Memory limited without swap.`));
    host.set("MemorySwap", UNLIMITED);
  }
  const swappiness = host.find("MemorySwappiness");
  if (!kernel.swappiness && swappiness !== null && !swappiness.isNull && swappiness.text != "-1") {
    warnings.push(missing(`memory swappiness capabilities ${NOT_MOUNTED} Memory swappiness discarded.`));
    host.set("MemorySwappiness", NONE);
  }
  if (!kernel.memoryReservation) {
    const text = `memory soft limit capabilities ${NOT_MOUNTED} Limitation discarded.`;
    drop(warnings, host, ["MemoryReservation"], ZERO, text);
  }
  if (!kernel.oomKillDisable) {
    drop(warnings, host, ["OomKillDisable"], NO, "OomKillDisable. OomKillDisable discarded.");
  }
  if (host.boolOf("OomKillDisable") && host.i64Of("Memory") == 0) {
    warnings.push(
      "OOM killer is disabled for the container, but no memory limit is set, " +
        "this can result in the system running out of resources.",
    );
  }
  if (host.i64Of("KernelMemory") > 0) {
    warnings.push("Specifying a kernel memory limit is deprecated and will be removed in a future release.");
  }
  if (!kernel.pidsLimit && host.i64Of("PidsLimit") > 0) {
    drop(warnings, host, ["PidsLimit"], NONE, `PIDs limit capabilities ${NOT_MOUNTED} PIDs limit discarded.`);
  }
}

function dropProcessor(warnings: string[], host: Json, kernel: KernelFacts): void {
  if (!kernel.cpuShares) drop(warnings, host, ["CpuShares"], ZERO, `CPU shares ${NOT_MOUNTED} Shares discarded.`);
  if (!kernel.cpuCfs) {
    drop(warnings, host, ["CpuPeriod", "CpuQuota"], ZERO, "CPU CFS scheduler. CPU period/quota discarded.");
  }
  if (host.i64Of("CpuPercent") > 0) {
    warnings.push("linux does not support CPU percent. Percent discarded.");
    host.set("CpuPercent", ZERO);
  }
  if (!kernel.cpuset) {
    drop(warnings, host, ["CpusetCpus", "CpusetMems"], EMPTY, `cpuset ${NOT_MOUNTED} Cpuset discarded.`);
  }
}

function dropRate(warnings: string[], host: Json, name: string, feature: string, limit: string): void {
  drop(warnings, host, [name], NONE, `${feature} limit ${NOT_MOUNTED} ${limit} limit discarded.`);
}

/** Gives one warning for all of these fields, if any is set. */
function drop(warnings: string[], host: Json, names: string[], empty: Json, text: string): void {
  let given = false;
  for (let i = 0; i < names.length; i++) {
    const value = host.find(names[i]);
    if (value === null || value.isNull || isZero(value)) continue;
    given = true;
    host.set(names[i], empty);
  }
  if (given) warnings.push(missing(text));
}

function missing(text: string): string {
  return `Your kernel does not support ${text}`;
}
