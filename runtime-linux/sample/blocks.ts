// Counters of block devices (blkio of cgroup v1, io.stat of v2).

import type { engine } from "../../hosts/shared/index.js";
import { number, type ReadFile } from "./text.js";

/** v1's files. Their names depend on the scheduler that counts. */
const FILES: readonly (readonly [engine.BlockCounter, string])[] = [
  ["service-bytes", "io_service_bytes_recursive"],
  ["serviced", "io_serviced_recursive"],
  ["queued", "io_queued_recursive"],
  ["service-time", "io_service_time_recursive"],
  ["wait-time", "io_wait_time_recursive"],
  ["merged", "io_merged_recursive"],
  ["time", "time_recursive"],
  ["sectors", "sectors_recursive"],
];

/** CFQ, BFQ, and the counters that work with any scheduler. The first that has counted anything is used. */
const COUNTERS = ["blkio.", "blkio.bfq.", "blkio.throttle."];

/** Undefined: nothing counts them. */
export function readBlocksV1(read: ReadFile): engine.BlockCount[] | undefined {
  const counted = (by: string, name: string): string => read("blkio", by + name);
  const there = COUNTERS.map((by) => ({ by, serviced: counted(by, "io_serviced_recursive") }));
  const counting = there.find(({ serviced }) => /^\d+:\d+ /m.test(serviced));
  if (!counting) return there.some(({ serviced }) => serviced !== "") ? [] : undefined;
  return FILES.flatMap(([counter, name]) =>
    counted(counting.by, name)
      .split("\n")
      .flatMap((line) => {
        const [, major, minor, operation = "", value] = /^(\d+):(\d+) (?:(\S+) )?(\d+)$/.exec(line) ?? [];
        return major && minor && value
          ? [{ counter, major: BigInt(major), minor: BigInt(minor), operation, value: BigInt(value) }]
          : [];
      }),
  );
}

/** v2 has one file with a line for each device that was used. */
export function readBlocksV2(read: ReadFile): engine.BlockCount[] {
  const lines = read("io", "io.stat").split("\n");
  return lines.flatMap((line) => {
    const [, major, minor, rest = ""] = /^(\d+):(\d+) (.*)$/.exec(line) ?? [];
    if (!major || !minor || rest.trim() === "") return []; // a device that was never used
    const counts = new Map(rest.split(" ").map((pair) => pair.split("=") as [string, string]));
    const device = { counter: "service-bytes" as const, major: BigInt(major), minor: BigInt(minor) };
    return [
      { ...device, operation: "read", value: number(counts.get("rbytes") ?? "") },
      { ...device, operation: "write", value: number(counts.get("wbytes") ?? "") },
    ];
  });
}
