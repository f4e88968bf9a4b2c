// Paths that a container's mounts must not reach. Runtimes trust what the kernel reports in /proc, and configure the
// confinement of a process by writing there. A mount over such a file would take control of that (CVE-2019-16884,
// CVE-2019-19921). runc checks this itself, other runtimes do not.

import { ClosedPlace } from "../../../../build/bindings/types";

export const PROC = "/proc";

/** Files that file systems like lxcfs replace; the list is runc's. */
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
