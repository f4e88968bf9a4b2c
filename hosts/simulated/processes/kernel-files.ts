// The files of /proc and /sys that a container reads about itself and the machine (proc(5), cgroups(7)).

import type { processes } from "../../shared/index.js";
import type { MadeFiles } from "../files/special.js";
import { tcp6Text, tcpText, udp6Text, udpText } from "../traffic/files.js";
import type { NetworkNamespace } from "../traffic/namespace.js";
import { controlFiles } from "./control-files.js";
import type { Resources, Spec } from "./oci-spec.js";
import type { MachineFacts } from "./kernel.js";

/** What the launch gives in addition to the spec. */
type Launched = Pick<processes.Launch, "user" | "seccomp">;

/** Facts of the machine that a container sees. */
export interface Seen {
  machine: MachineFacts;
  /** Its network namespace. */
  network: NetworkNamespace;
  /** The current limits. */
  resources(): Resources;
  /** Nanoseconds since the machine started. */
  uptime(): bigint;
}

export function procFiles(spec: Spec, launch: Launched, seen: Seen): MadeFiles {
  const { machine, network } = seen;
  const kib = (bytes: number): string => `${String(Math.floor(bytes / 1024)).padStart(8)} kB`;
  const files = new Map<string, () => string>([
    ["self/status", () => statusText(spec, launch, seen)],
    ["self/oom_score_adj", () => `${spec.process?.oomScoreAdj ?? 0}\n`],
    ["self/cgroup", () => `0::${spec.linux?.cgroupsPath ?? "/"}\n`],
    ["cpuinfo", () => cpuText(machine.cpus)],
    ["meminfo", () => `MemTotal:       ${kib(machine.memory)}\nMemFree:        ${kib(machine.memory)}\n`],
    ["loadavg", () => "0.00 0.00 0.00 1/64 1\n"],
    ["uptime", () => `${seconds(seen.uptime())} ${seconds(seen.uptime())}\n`],
    ["net/tcp", () => tcpText(network)],
    ["net/tcp6", () => tcp6Text(network)],
    ["net/udp", () => udpText(network)],
    ["net/udp6", () => udp6Text(network)],
    ["sys/kernel/hostname", () => `${spec.hostname ?? ""}\n`],
    ["sys/kernel/osrelease", () => `${machine.release}\n`],
    ["sys/kernel/ostype", () => "Linux\n"],
  ]);
  for (const [name, value] of Object.entries(spec.linux?.sysctl ?? {}))
    files.set(`sys/${name.replaceAll(".", "/")}`, () => `${value.replaceAll(" ", "\t")}\n`);
  const masked = (spec.linux?.maskedPaths ?? []).filter(
    (path) => /^\/proc\/[a-z_]+$/.test(path) && !DIRECTORIES.has(path),
  );
  for (const path of masked) files.set(path.slice("/proc/".length), () => "");
  return files;
}

const DIRECTORIES: ReadonlySet<string> = new Set(["/proc/acpi", "/proc/asound", "/proc/scsi"]);

export function sysFiles({ machine, network, resources }: Seen): MadeFiles {
  const files = new Map<string, () => string>([
    ...controlFiles(resources),
    ["fs/cgroup/cpuset.cpus.effective", () => `${cpusOf(resources(), machine.cpus)}\n`],
    ["devices/system/cpu/online", () => `${cpusOf({}, machine.cpus)}\n`],
  ]);
  for (const name of ["lo", ...network.interfaces]) files.set(`class/net/${name}/operstate`, () => "up\n");
  return files;
}

function cpusOf({ cpu }: Resources, count: number): string {
  return cpu?.cpus ?? (count > 1 ? `0-${count - 1}` : "0");
}

function seconds(ns: bigint): string {
  return (Number(ns / 10_000_000n) / 100).toFixed(2);
}

function cpuText(count: number): string {
  const one = (index: number): string => `processor\t: ${index}\nmodel name\t: Simulated CPU\n\n`;
  return Array.from({ length: count }, (_, index) => one(index)).join("");
}

/** SECCOMP_MODE_FILTER (seccomp(2)). */
const FILTERED = 2;

/** The status of the container's first process. Its other processes get the same text. */
function statusText(spec: Spec, launch: Launched, { machine, resources }: Seen): string {
  const isRoot = /^(0|root|)(:|$)/.test(launch.user);
  const { bounding = [], effective = [] } = spec.process?.capabilities ?? {};
  const held = isRoot ? maskText(effective) : maskText([]);
  const lines = [
    ["Name", "init"],
    ["State", "S (sleeping)"],
    ["Pid", "1"],
    ["CapInh", maskText([])],
    ["CapPrm", held],
    ["CapEff", held],
    ["CapBnd", maskText(bounding)],
    ["CapAmb", maskText([])],
    ["NoNewPrivs", spec.process?.noNewPrivileges ? "1" : "0"],
    ["Seccomp", String(launch.seccomp === "unconfined" ? 0 : FILTERED)],
    ["Cpus_allowed_list", cpusOf(resources(), machine.cpus)],
  ];
  return lines.map(([name, value]) => `${name}:\t${value}\n`).join("");
}

/** In the order of their numbers (linux/capability.h). */
const CAPABILITIES = (
  "CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP LINUX_IMMUTABLE NET_BIND_SERVICE " +
  "NET_BROADCAST NET_ADMIN NET_RAW IPC_LOCK IPC_OWNER SYS_MODULE SYS_RAWIO SYS_CHROOT SYS_PTRACE SYS_PACCT SYS_ADMIN " +
  "SYS_BOOT SYS_NICE SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG MKNOD LEASE AUDIT_WRITE AUDIT_CONTROL SETFCAP MAC_OVERRIDE " +
  "MAC_ADMIN SYSLOG WAKE_ALARM BLOCK_SUSPEND AUDIT_READ PERFMON BPF CHECKPOINT_RESTORE"
).split(" ");

function maskText(names: readonly string[]): string {
  const bits = names.map((name) => CAPABILITIES.indexOf(name.replace(/^CAP_/, ""))).filter((bit) => bit >= 0);
  return bits
    .reduce((mask, bit) => mask | (1n << BigInt(bit)), 0n)
    .toString(16)
    .padStart(16, "0");
}
