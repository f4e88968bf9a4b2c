// Resource limits: options of `docker run`, `docker create` and mostly `docker update`.

import { atSign } from "../planned.js";
import { misread } from "../wrong.js";
import type { Body, Field } from "./body.js";
import { bytes, flag, integer, list, read, text } from "./fields.js";
import { bytesOf, cpusOf, integerOf } from "./sizes.js";

/** Options that `docker update` has too. */
export const UPDATABLE: readonly Field[] = [
  integer("blkio-weight", "HostConfig.BlkioWeight"),
  integer("cpu-period", "HostConfig.CpuPeriod"),
  integer("cpu-quota", "HostConfig.CpuQuota"),
  integer("cpu-rt-period", "HostConfig.CpuRealtimePeriod"),
  integer("cpu-rt-runtime", "HostConfig.CpuRealtimeRuntime"),
  integer("cpu-shares,c", "HostConfig.CpuShares"),
  read("cpus", "HostConfig.NanoCpus", cpusOf),
  text("cpuset-cpus", "HostConfig.CpusetCpus"),
  text("cpuset-mems", "HostConfig.CpusetMems"),
  bytes("memory,m", "HostConfig.Memory"),
  bytes("memory-reservation", "HostConfig.MemoryReservation"),
  bytes("memory-swap", "HostConfig.MemorySwap"),
  bytes("kernel-memory", "HostConfig.KernelMemory"),
  integer("pids-limit", "HostConfig.PidsLimit"),
  read("restart", "HostConfig.RestartPolicy", restartOf),
];

export const RESOURCES: readonly Field[] = [
  ...UPDATABLE,
  integer("memory-swappiness", "HostConfig.MemorySwappiness"),
  flag("oom-kill-disable", "HostConfig.OomKillDisable"),
  integer("oom-score-adj", "HostConfig.OomScoreAdj"),
  list("blkio-weight-device", "HostConfig.BlkioWeightDevice", (value) => ofDevice(value, "Weight", integerOf)),
  list("device-read-bps", "HostConfig.BlkioDeviceReadBps", (value) => ofDevice(value, "Rate", bytesOf)),
  list("device-write-bps", "HostConfig.BlkioDeviceWriteBps", (value) => ofDevice(value, "Rate", bytesOf)),
  list("device-read-iops", "HostConfig.BlkioDeviceReadIOps", (value) => ofDevice(value, "Rate", integerOf)),
  list("device-write-iops", "HostConfig.BlkioDeviceWriteIOps", (value) => ofDevice(value, "Rate", integerOf)),
];

/** For example `on-failure:3`. */
function restartOf(value: string): object {
  const [name, count] = atSign(value, ":");
  return { Name: name, ...(count === null ? {} : { MaximumRetryCount: integerOf(count) }) };
}

/** For example `/dev/sda:100`. */
function ofDevice(value: string, name: string, of: (text: string) => number): Body {
  const [path, number] = atSign(value, ":");
  if (!path.startsWith("/dev/") || number === null) throw misread(value, "device with a number such as /dev/sda:100");
  return { Path: path, [name]: of(number) };
}
