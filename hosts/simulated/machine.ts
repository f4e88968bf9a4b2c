// The simulated machine and its OCI runtimes.

import type { engine } from "../shared/index.js";

/** Facts for `/info` and `/version`, including routes to the machine's own network (RFC 5737, RFC 3849). */
export const MACHINE: engine.Machine = {
  name: "coracle-sim",
  os: "linux",
  architecture: "amd64",
  variant: "",
  kernelArchitecture: "x86_64",
  kernelVersion: "6.1.0-simulated",
  operatingSystem: "Coracle simulated machine",
  osVersion: "",
  cpus: 4,
  memory: 8n * 1024n ** 3n,
  cgroupVersion: "2",
  cgroupDriver: "cgroupfs",
  seccomp: true,
  memoryLimit: true,
  swapLimit: true,
  memoryReservation: true,
  swappiness: false,
  oomKillDisable: false,
  blkioWeight: true,
  blkioRates: true,
  cpuRealtime: false,
  ownProcesses: false,
  ipv6: true,
  init: { path: "/usr/bin/docker-init", version: "simulated", commit: "" },
  pidsLimit: true,
  cpuCfs: true,
  cpuShares: true,
  cpuset: true,
  cpusetCpus: "0-3",
  cpusetMems: "0",
  ipv4Forwarding: true,
  ipv4ForwardingOn: true,
  bridgeNfIptables: true,
  bridgeNfIp6tables: true,
  storageDriver: "overlay2",
  storage: { fileSystem: 0, entryTypes: true, metacopy: false, redirects: false, userNamespace: false, size: 0n },
  sparseFiles: false,
  routes: ["192.0.2.0/24", "2001:db8::/64"],
  defaultBridge: "coracle0",
  firewall: "nftables",
  droppingChains: [],
  simulated: true,
};

/** The runtime name that clients know. */
export const KNOWN: readonly string[] = ["runc"];

/** The usual runtimes and these as well. No such programs exist. */
export function runtimesOf(names: readonly string[]): engine.OciRuntime[] {
  return [...new Set([...KNOWN, ...names])].map((name) => ({
    name,
    path: name,
    version: "simulated",
    commit: "",
    features: "",
  }));
}
