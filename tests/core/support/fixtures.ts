// A small world for the core's tests: a machine, options, and records of one image.

import { createHash } from "node:crypto";
import type { engine } from "../../../hosts/shared/host.js";
import { USUAL_NETWORKS } from "../../../hosts/engine/core-options.js";

export const BUSYBOX_CHAIN = `sha256:${"c".repeat(64)}`;

const MACHINE: engine.Machine = {
  name: "machine",
  os: "linux",
  architecture: "amd64",
  variant: "",
  kernelArchitecture: "x86_64",
  kernelVersion: "6.1.0",
  operatingSystem: "Debian GNU/Linux 12 (bookworm)",
  osVersion: "12",
  cpus: 2,
  memory: 8n << 30n,
  cgroupVersion: "1",
  cgroupDriver: "cgroupfs",
  seccomp: true,
  memoryLimit: true,
  swapLimit: true,
  memoryReservation: true,
  swappiness: true,
  oomKillDisable: true,
  blkioWeight: true,
  blkioRates: true,
  cpuRealtime: false,
  ownProcesses: true,
  ipv6: true,
  pidsLimit: true,
  cpuCfs: true,
  cpuShares: true,
  cpuset: true,
  cpusetCpus: "0-1",
  cpusetMems: "0",
  ipv4Forwarding: true,
  ipv4ForwardingOn: true,
  bridgeNfIptables: false,
  bridgeNfIp6tables: false,
  storageDriver: "overlay2",
  storage: { fileSystem: 0xef53, entryTypes: true, metacopy: false, redirects: false, userNamespace: false, size: 0n },
  sparseFiles: true,
  routes: [],
  defaultBridge: "coracle0",
  firewall: "nftables",
  droppingChains: [],
  simulated: false,
};

export const OPTIONS: engine.Options = {
  epoch: 1,
  version: "0.1.0",
  commit: "",
  built: "",
  platform: "test",
  dataRoot: "/data",
  execRoot: "/exec",
  bodyLimit: 4 << 20,
  unpackedLimit: 1n << 38n,
  documentLimit: 4 << 20,
  layerLimit: 125,
  maxApiVersion: "",
  listenerVersions: [],
  debug: false,
  insecureRegistries: [],
  registryMirrors: [],
  registryHosts: [],
  proxies: { http: "", https: "", none: "" },
  labels: [],
  logDriver: "json-file",
  logOptions: [],
  builder: "",
  networks: USUAL_NETWORKS,
  runtimes: [{ name: "runc", path: "/usr/bin/runc", version: "1.1.5", commit: "", features: "" }],
  defaultRuntime: "runc",
  machine: MACHINE,
};

/** Ids of the predefined networks, by their names. */
export const NETWORKS: ReadonlyMap<string, string> = new Map([
  ["bridge", "b".repeat(64)],
  ["host", "d".repeat(64)],
  ["none", "e".repeat(64)],
]);

const BRIDGE_OPTIONS = {
  "com.docker.network.bridge.default_bridge": "true",
  "com.docker.network.bridge.enable_icc": "true",
  "com.docker.network.bridge.enable_ip_masquerade": "true",
  "com.docker.network.bridge.host_binding_ipv4": "0.0.0.0",
  "com.docker.network.bridge.name": "coracle0",
  "com.docker.network.driver.mtu": "1500",
};

/** The records after the first start. */
export const FIRST_RECORDS: ReadonlyMap<string, Uint8Array> = new Map(
  [
    ["engine/id", "f".repeat(64)] as const,
    ["engine/version", "4"] as const,
    ...Array.from(NETWORKS, ([name, id]) => {
      const bridged = {
        interfaceName: "coracle0",
        ipam: [{ subnet: "172.17.0.0/16", gateway: "172.17.0.1" }],
        options: BRIDGE_OPTIONS,
      };
      const driver = name === "none" ? "null" : name;
      const own = name === "bridge" ? bridged : { interfaceName: "" };
      return [`network/${id}`, JSON.stringify({ id, name, driver, created: 0, ...own })] as const;
    }),
  ].map(([key, text]) => [key, new TextEncoder().encode(text)]),
);

const CONFIG = JSON.stringify({
  created: "2026-01-01T00:00:00Z",
  architecture: "amd64",
  os: "linux",
  config: { Cmd: ["sh"], Env: ["PATH=/bin"] },
  rootfs: { type: "layers", diff_ids: [BUSYBOX_CHAIN] },
  history: [{ created: "2026-01-01T00:00:00Z", created_by: "make" }],
});

export const BUSYBOX_ID = `sha256:${createHash("sha256").update(CONFIG).digest("hex")}`;

/** The records after `busybox:latest` was loaded. */
export const BUSYBOX_RECORDS: ReadonlyMap<string, Uint8Array> = new Map(
  Object.entries({
    [`config/${BUSYBOX_ID}`]: CONFIG,
    [`image/${BUSYBOX_ID}`]: "{}",
    [`layer/${BUSYBOX_CHAIN}`]: JSON.stringify({ diffId: BUSYBOX_CHAIN, size: 1000 }),
    "reference/docker.io/library/busybox:latest": BUSYBOX_ID,
  }).map(([key, text]) => [key, new TextEncoder().encode(text)]),
);
