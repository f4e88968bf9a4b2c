// The body of POST /containers/{id}/update: those fields of `HostConfig` that can change while a container runs.

import { Field, FieldType, Table } from "../json/table";
import { HOST_CONFIG } from "./host-config";

/** Numbers, of which 0 asks for nothing. */
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

/** Null leaves them, `[]` clears them. */
export const UPDATED_LISTS: string[] = [
  "BlkioWeightDevice",
  "BlkioDeviceReadBps",
  "BlkioDeviceWriteBps",
  "BlkioDeviceReadIOps",
  "BlkioDeviceWriteIOps",
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
  result.push(new Field("PidsLimit", FieldType.Int, "null").pointed().from(40));
  return result;
}

function fieldOf(name: string): Field {
  return HOST_CONFIG.fields[HOST_CONFIG.place(name)];
}
