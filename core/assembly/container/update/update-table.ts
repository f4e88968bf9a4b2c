// The body of POST /containers/{id}/update: those fields of `HostConfig` that can change while a container runs.

import { Field, FieldType, NEVER, Table } from "../../json/table";
import { HOST_CONFIG } from "../create/host-config";

/** Numbers; 0 leaves the setting unchanged. */
export const UPDATED_NUMBERS: string[] = [
  "BlkioWeight",
  "CpuShares",
  "NanoCpus",
  "CpuPeriod",
  "CpuQuota",
  "CpuRealtimePeriod",
  "CpuRealtimeRuntime",
  "Memory",
  "MemorySwap",
  "MemoryReservation",
];

export const UPDATED_TEXTS: string[] = ["CpusetCpus", "CpusetMems"];

/** Null leaves the list unchanged, `[]` clears it. */
export const UPDATED_LISTS: string[] = [
  "BlkioWeightDevice",
  "BlkioDeviceReadBps",
  "BlkioDeviceWriteBps",
  "BlkioDeviceReadIOps",
  "BlkioDeviceWriteIOps",
];

/** These cannot change and are ignored without a warning; but a value of the wrong type is an error. */
const IGNORED: string[] = [
  "CgroupParent",
  "Devices",
  "DeviceCgroupRules",
  "DeviceRequests",
  "KernelMemoryTCP",
  "MemorySwappiness",
  "OomKillDisable",
  "Ulimits",
  "CpuCount",
  "CpuPercent",
  "IOMaximumIOps",
  "IOMaximumBandwidth",
];

export const UPDATE: Table = new Table("UpdateConfig", fields(), "container.UpdateConfig");

function fields(): Field[] {
  const result: Field[] = [];
  const names = UPDATED_NUMBERS.concat(UPDATED_TEXTS).concat(["KernelMemory", "RestartPolicy"]);
  for (let i = 0; i < names.length; i++) result.push(fieldOf(names[i]));
  for (let i = 0; i < UPDATED_LISTS.length; i++) {
    const like = fieldOf(UPDATED_LISTS[i]);
    result.push(new Field(like.name, like.type, like.fallback).typed(like.goType).of(like.table!).from(55));
  }
  for (let i = 0; i < IGNORED.length; i++) {
    const like = fieldOf(IGNORED[i]);
    const field = new Field(like.name, like.type, null).typed(like.goType).from(NEVER).upTo(like.until);
    field.table = like.table;
    result.push(field);
  }
  result.push(new Field("PidsLimit", FieldType.Int, "null").pointed().from(40));
  return result;
}

function fieldOf(name: string): Field {
  return HOST_CONFIG.fields[HOST_CONFIG.place(name)];
}
