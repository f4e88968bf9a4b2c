// The defaults that create fills in for fields the client left out (surface §2.14).

import { Json } from "../../json/json";

/** The facts that the defaults depend on. */
export class DefaultFacts {
  /** Minor API version of the request. */
  version: i32 = 0;
  /** `1` or `2`. */
  cgroupVersion: string = "2";
  defaultRuntime: string = "";
}

export const DEFAULT_SHM_SIZE: i64 = 67_108_864;

/** Fills in a normalised `HostConfig`, in place. */
export function fillHostConfig(host: Json, facts: DefaultFacts): void {
  fillText(host, "Runtime", facts.defaultRuntime);
  fillText(host, "IpcMode", facts.version < 40 ? "shareable" : "private");
  fillText(host, "CgroupnsMode", facts.cgroupVersion == "2" ? "private" : "host");
  const mode = host.stringOf("NetworkMode");
  if (mode.length == 0 || mode == "default") host.set("NetworkMode", Json.string("bridge"));
  if (host.i64Of("ShmSize") == 0) host.set("ShmSize", Json.i64(DEFAULT_SHM_SIZE));
  fillMember(host, "LogConfig", "Type", "json-file");
  fillMember(host, "RestartPolicy", "Name", "no");
  fillLimits(host);
  fillLabels(host);
  fillPaths(host);
  fillPortBindings(host);
  if (host.stringsOf("Links").length == 0) host.set("Links", Json.null());
}

/**
 * The default hostname: the container's short id, or the machine's
 * name on the host network. Changes a normalised `Config` in place.
 */
export function fillHostname(config: Json, host: Json, shortId: string, machine: string): void {
  fillText(config, "Hostname", host.stringOf("NetworkMode") == "host" ? machine : shortId);
}

const MASKED: string[] = [
  "/proc/asound",
  "/proc/acpi",
  "/proc/kcore",
  "/proc/keys",
  "/proc/latency_stats",
  "/proc/timer_list",
  "/proc/timer_stats",
  "/proc/sched_debug",
  "/proc/scsi",
  "/sys/firmware",
];

const READ_ONLY: string[] = ["/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"];

function fillText(object: Json, name: string, text: string): void {
  if (object.stringOf(name).length == 0) object.set(name, Json.string(text));
}

function fillMember(host: Json, name: string, member: string, text: string): void {
  const object = host.entry(name);
  if (object !== null) fillText(object, member, text);
}

// Memory plus swap defaults to twice the memory. Null means no limit of processes, and the machine's own swappiness.
function fillLimits(host: Json): void {
  const memory = host.i64Of("Memory");
  if (memory > 0 && memory <= i64.MAX_VALUE / 2 && host.i64Of("MemorySwap") == 0) {
    host.set("MemorySwap", Json.i64(memory * 2));
  }
  if (host.i64Of("PidsLimit") <= 0) host.set("PidsLimit", Json.null());
  if (host.i64Of("MemorySwappiness") < 0) host.set("MemorySwappiness", Json.null());
}

// Containers that see the machine's processes, and privileged ones, are not separated by SELinux labels.
function fillLabels(host: Json): void {
  if (!host.boolOf("Privileged") && host.stringOf("IpcMode") != "host" && host.stringOf("PidMode") != "host") return;
  const options = host.stringsOf("SecurityOpt");
  for (let i = 0; i < options.length; i++) if (options[i].startsWith("label")) return;
  options.push("label=disable");
  host.set("SecurityOpt", Json.strings(options));
}

// Null asks for the default lists; an empty list means no paths.
function fillPaths(host: Json): void {
  if (host.boolOf("Privileged")) {
    host.set("MaskedPaths", Json.null());
    host.set("ReadonlyPaths", Json.null());
    return;
  }
  const masked = host.entry("MaskedPaths");
  if (masked === null || masked.isNull) host.set("MaskedPaths", Json.strings(MASKED));
  const readOnly = host.entry("ReadonlyPaths");
  if (readOnly === null || readOnly.isNull) host.set("ReadonlyPaths", Json.strings(READ_ONLY));
}

// An empty list counts as one binding without address and port.
function fillPortBindings(host: Json): void {
  const bindings = host.entry("PortBindings");
  if (bindings === null) return;
  for (let i = 0; i < bindings.items.length; i++) {
    if (bindings.items[i].length > 0) continue;
    const binding = Json.object();
    binding.set("HostIp", Json.string(""));
    binding.set("HostPort", Json.string(""));
    const list = Json.array();
    list.push(binding);
    bindings.items[i] = list;
  }
}
