// Where a container's mounts may not come to. Runtimes trust what the kernel tells in /proc, and write to it how a process is
// to be confined: whoever could mount over it would decide about that (CVE-2019-16884, CVE-2019-19921). runc looks itself,
// others do not.

import { ClosedPlace } from "../../../../build/bindings/types";

export const PROC = "/proc";

/** What file systems like lxcfs show in the kernel's place, as runc has it. */
const OPEN: string[] = [
  "/proc/cpuinfo",
  "/proc/diskstats",
  "/proc/meminfo",
  "/proc/stat",
  "/proc/swaps",
  "/proc/uptime",
  "/proc/loadavg",
  "/proc/slabinfo",
  "/proc/sys/kernel/ns_last_pid",
  "/proc/sys/crypto/fips_enabled",
];

export function closedPlaces(): ClosedPlace[] {
  return [new ClosedPlace(PROC, "proc", OPEN)];
}
