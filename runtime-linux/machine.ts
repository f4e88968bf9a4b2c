// What the machine is and can do: the facts of `/info` and `/version`. They are read once, when the engine starts.

import { mkdirSync, readFileSync } from "node:fs";
import { availableParallelism, hostname, machine as kernelArchitecture, release } from "node:os";
import { join } from "node:path";
import type { engine } from "../hosts/shared/index.js";
import { describeInit } from "./launch/init.js";
import type { Kernel } from "./kernel.js";
import { goArchitecture } from "./machine/architecture.js";
import { limitsOf } from "./machine/limits.js";
import { describeStorage } from "./machine/storage.js";
import { strangeDrops } from "./networks/rules/forwarding.js";
import { routesOf } from "./networks/routes.js";
import type { Paths } from "./paths.js";

export interface MachineNeeds {
  kernel: Kernel;
  paths: Paths;
  /** Root directory for the machine's /proc, /sys and /etc; tests may set another one than `/`. */
  root?: string;
}

/** Reads the facts. Makes the data root if it is missing, since some facts are about its file system. */
export async function describeMachine({ kernel, paths, root = "/" }: MachineNeeds): Promise<engine.Machine> {
  const read = (file: string): string => readOr(join(root, file), "");
  const [init, droppingChains] = await Promise.all([describeInit(), strangeDrops()]);
  const distribution = osRelease(read("etc/os-release") || read("usr/lib/os-release"));
  mkdirSync(paths.roots.data, { recursive: true, mode: 0o711 });
  return {
    name: hostname(),
    os: "linux",
    ...goArchitecture(),
    kernelArchitecture: kernelArchitecture(),
    kernelVersion: release(),
    operatingSystem: distribution.get("PRETTY_NAME") ?? "Linux",
    osVersion: distribution.get("VERSION_ID") ?? "",
    cpus: availableParallelism(),
    memory: memoryTotal(read("proc/meminfo")),
    ...limitsOf(root),
    ...(init && { init }),
    cgroupDriver: "cgroupfs",
    ownProcesses: true,
    ipv6: read("proc/net/if_inet6") !== "",
    seccomp: /^Seccomp:/m.test(read("proc/self/status")),
    // `networks.make` enables forwarding before any container can notice.
    ipv4Forwarding: read("proc/sys/net/ipv4/ip_forward") !== "",
    ipv4ForwardingOn: isOn(read("proc/sys/net/ipv4/ip_forward")),
    bridgeNfIptables: isOn(read("proc/sys/net/bridge/bridge-nf-call-iptables")),
    bridgeNfIp6tables: isOn(read("proc/sys/net/bridge/bridge-nf-call-ip6tables")),
    storageDriver: "overlay2",
    storage: describeStorage(kernel, paths.roots.data, root),
    sparseFiles: true,
    routes: routesOf(root),
    defaultBridge: paths.defaultBridge(),
    firewall: "nftables",
    droppingChains,
    simulated: false,
  };
}

/** os-release(5): shell assignments. */
function osRelease(text: string): Map<string, string> {
  const lines = text.split("\n").map((line) => /^([A-Z_]+)=(["']?)(.*)\2$/.exec(line.trim()));
  return new Map(lines.flatMap((line) => (line ? [[line[1]!, line[3]!.replaceAll(/\\(.)/g, "$1")]] : [])));
}

function memoryTotal(meminfo: string): bigint {
  return BigInt(/^MemTotal:\s+(\d+) kB$/m.exec(meminfo)?.[1] ?? "0") * 1024n;
}

function isOn(sysctl: string): boolean {
  return sysctl.trim() === "1";
}

function readOr(file: string, otherwise: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return otherwise;
  }
}
