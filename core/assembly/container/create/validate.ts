// What create refuses, with Docker's texts (surface §2.14, §6.2). The checks run on the merged config, before defaults
// are filled in; their order decides which problem the user sees first.

import { Json } from "../../json/json";
import { refuseExposed, refusePorts } from "../../network/ports/port-wishes";
import { badParameter, notBuilt, notSupported, Refusal } from "../../refusal";
import { haveNul } from "../../text/at-once";
import { quoteText } from "../../text/go-quote";
import { cleanPath } from "../../text/path";
import { extraHostProblem } from "../endpoint/hosts-file";
import { logConfigProblem } from "../output/log-options";
import { unknownCapability } from "../spec/capabilities";
import { namespaceProblem } from "../spec/namespaces";
import { securityOf } from "../spec/security-options";
import { runtimeProblem } from "../start/oci-runtimes";
import { isSignal, parseSignal } from "../stop/signals";
import { annotationProblem } from "./annotations";
import { commandOf } from "./merge";
import { KernelFacts } from "./unsupported-limits";
import { deviceProblem } from "./validate-devices";
import { networkProblem } from "./validate-network";
import { isolationProblem, qualityProblem, resourceProblem, swappinessProblem } from "./validate-resources";

/** Facts about the machine and the daemon's options. */
export class ValidationFacts {
  cpus: i32 = 1;
  /** Names of the available OCI runtimes. */
  runtimes: string[] = [];
  defaultRuntime: string = "";
  kernel: KernelFacts = new KernelFacts();
  /** An init program is available. */
  init: bool = false;
  /** The machine has processes outside containers. */
  ownProcesses: bool = true;
}

/** Docker's refusal of a container, or null. `config`: merged with the image's config; `host`: normalised. */
export function refuseContainer(config: Json, host: Json, facts: ValidationFacts): Refusal | null {
  let problem = nulProblem(config);
  if (problem.length == 0) problem = nulProblem(host);
  if (problem.length == 0) problem = configProblem(config);
  if (problem.length == 0) problem = hostProblem(host, facts);
  if (problem.length == 0) problem = namespaceProblem(config, host);
  if (problem.length > 0) return badParameter(problem);
  const lacking = refuseLacking(host, facts);
  return lacking === null ? refuseMachineFields(config, host) : lacking;
}

/**
 * Invalid values of fields that are not implemented: a valid value gets a 501, an invalid one a 400 all the same.
 * `config`: the request's own. Empty if nothing is wrong.
 */
export function nonsense(config: Json, host: Json): string {
  let problem = networkProblem(config, host);
  if (problem.length == 0) problem = isolationProblem(host);
  if (problem.length == 0) problem = healthProblem(config);
  if (problem.length == 0) problem = restartProblem(host);
  if (problem.length == 0) problem = logProblem(host);
  if (problem.length == 0) problem = qualityProblem(host);
  // The field exists in 1.40 only; no later check knows it.
  if (problem.length == 0 && host.stringsOf("Capabilities").length > 0) {
    problem = "HostConfig.Capabilities is not supported: use CapAdd and CapDrop";
  }
  return problem.length == 0 ? swappinessProblem(host) : problem;
}

const MAX_HOSTNAME: i32 = 64;
const MILLISECOND: i64 = 1_000_000;

/**
 * The kernel ends strings at a NUL byte, so a string with one inside would name something other than the client wrote.
 */
export function nulProblem(document: Json): string {
  for (let i = 0; i < document.keys.length; i++) {
    if (hasNul(document.items[i])) return `invalid ${document.keys[i]}: it contains a NUL byte`;
  }
  return "";
}

function hasNul(value: Json): bool {
  if (value.isString && holdsNul(value.text)) return true;
  for (let i = 0; i < value.keys.length; i++) if (holdsNul(value.keys[i])) return true;
  for (let i = 0; i < value.items.length; i++) if (hasNul(value.items[i])) return true;
  return false;
}

function holdsNul(text: string): bool {
  const start = changetype<usize>(text);
  let i = 0;
  for (; i + 4 <= text.length; i += 4) if (haveNul(load<u64>(start + ((<usize>i) << 1)))) return true;
  for (; i < text.length; i++) if (load<u16>(start + ((<usize>i) << 1)) == 0) return true;
  return false;
}

function configProblem(config: Json): string {
  if (commandOf(config).length == 0) return "no command specified";
  const directory = config.stringOf("WorkingDir");
  if (directory.length > 0 && !directory.startsWith("/")) {
    return `the working directory '${directory}' is invalid, it needs to be an absolute path`;
  }
  const hostname = config.stringOf("Hostname");
  if (String.UTF8.byteLength(hostname) > MAX_HOSTNAME) return `invalid hostname: ${hostname}: longer than 64 bytes`;
  const environment = config.stringsOf("Env");
  for (let i = 0; i < environment.length; i++) {
    if (environment[i].length == 0 || environment[i].startsWith("=")) {
      return `invalid environment variable: ${environment[i]}`;
    }
  }
  const signal = config.stringOf("StopSignal");
  if (signal.length > 0 && !isSignal(parseSignal(signal))) return `invalid signal: ${signal}`;
  return healthProblem(config);
}

function healthProblem(config: Json): string {
  const check = config.entry("Healthcheck");
  if (check === null) return "";
  const durations = ["Interval", "Timeout", "StartPeriod", "StartInterval"];
  for (let i = 0; i < durations.length; i++) {
    const value = check.i64Of(durations[i]);
    if (value != 0 && value < MILLISECOND) return `${durations[i]} in Healthcheck cannot be less than 1ms`;
  }
  return check.i64Of("Retries") < 0 ? "Retries in Healthcheck cannot be negative" : "";
}

function hostProblem(host: Json, facts: ValidationFacts): string {
  let problem = restartProblem(host);
  if (problem.length == 0) problem = logProblem(host);
  if (problem.length == 0) problem = resourceProblem(host, facts.cpus, facts.kernel);
  if (problem.length == 0) problem = deviceProblem(host);
  if (problem.length == 0) problem = annotationProblem(host);
  if (problem.length == 0 && host.boolOf("Init") && !facts.init) problem = "this machine has no init program";
  if (problem.length == 0) problem = capabilityProblem(host);
  if (problem.length == 0) problem = modeProblem(host, facts);
  if (problem.length == 0) problem = extraHostProblem(host.stringsOf("ExtraHosts"));
  if (problem.length == 0) problem = tmpfsProblem(host);
  if (problem.length == 0) problem = securityOf(host).problem;
  return problem;
}

function restartProblem(host: Json): string {
  const policy = host.entry("RestartPolicy");
  if (policy === null) return "";
  const name = policy.stringOf("Name");
  const retries = policy.i64Of("MaximumRetryCount");
  if (name == "on-failure") {
    if (retries < 0) return "invalid restart policy: maximum retry count cannot be negative";
  } else if (name == "no" || name == "always" || name == "unless-stopped") {
    const text = "invalid restart policy: maximum retry count can only be used with 'on-failure'";
    if (retries != 0) return retries < 0 ? text + " and cannot be negative" : text;
  } else if (name.length > 0) {
    return (
      `invalid restart policy: unknown policy '${name}'; ` +
      "use one of 'no', 'always', 'on-failure', or 'unless-stopped'"
    );
  }
  const restarts = name.length > 0 && name != "no";
  return restarts && host.boolOf("AutoRemove") ? "can't create 'AutoRemove' container with restart policy" : "";
}

function capabilityProblem(host: Json): string {
  const added = unknownCapability(host.stringsOf("CapAdd"));
  if (added.length > 0) return `invalid CapAdd: unknown capability: ${quoteText(added)}`;
  const dropped = unknownCapability(host.stringsOf("CapDrop"));
  return dropped.length > 0 ? `invalid CapDrop: unknown capability: ${quoteText(dropped)}` : "";
}

function modeProblem(host: Json, facts: ValidationFacts): string {
  const cgroup = host.stringOf("CgroupnsMode");
  if (cgroup != "" && cgroup != "host" && cgroup != "private") return `invalid cgroup namespace mode: ${cgroup}`;
  const runtime = host.stringOf("Runtime");
  return runtimeProblem(runtime.length > 0 ? runtime : facts.defaultRuntime, facts.runtimes);
}

function logProblem(host: Json): string {
  const log = host.entry("LogConfig");
  return log === null ? "" : logConfigProblem(log);
}

function tmpfsProblem(host: Json): string {
  const tmpfs = host.entry("Tmpfs");
  if (tmpfs === null) return "";
  for (let i = 0; i < tmpfs.keys.length; i++) {
    const path = tmpfs.keys[i];
    if (!path.startsWith("/")) return `invalid mount path: '${path}' mount path must be absolute`;
    if (cleanPath(path) == "/") return "invalid specification: destination can't be '/'";
  }
  return "";
}

// What this machine lacks, by the field's name or in Docker's words if Docker has a text for it.
function refuseLacking(host: Json, facts: ValidationFacts): Refusal | null {
  if (host.stringOf("PidMode") == "host" && !facts.ownProcesses) {
    return notSupported("HostConfig.PidMode host: this machine has no processes besides those of containers");
  }
  const storage = host.entry("StorageOpt");
  if (storage === null || storage.length == 0) return null;
  for (let i = 0; i < storage.keys.length; i++) {
    if (storage.keys[i].toLowerCase() != "size") return badParameter(`Unknown option ${storage.keys[i]}`);
  }
  return notSupported("--storage-opt is supported only for overlay over xfs with 'pquota' mount option");
}

// Volumes, ports and security options: first invalid values, then what is not implemented.
function refuseMachineFields(config: Json, host: Json): Refusal | null {
  const volumes = volumeProblem(config);
  if (volumes.length > 0) return badParameter(volumes);
  const exposed = config.entry("ExposedPorts");
  const tooMuch: string | null = exposed === null ? null : refuseExposed(exposed);
  if (tooMuch !== null) return badParameter(tooMuch);
  const ports = host.entry("PortBindings");
  if (ports !== null) {
    const problem = refusePorts(ports);
    if (problem !== null) return badParameter(problem);
  }
  const security = securityOf(host).notBuilt;
  return security.length > 0 ? notBuilt(security) : null;
}

function volumeProblem(config: Json): string {
  const volumes = config.entry("Volumes");
  if (volumes === null) return "";
  for (let i = 0; i < volumes.keys.length; i++) {
    const path = volumes.keys[i];
    const prefix = `invalid volume specification: '${path}': invalid mount config for type "volume": `;
    if (cleanPath(`/${path}`) == "/") return `${prefix}invalid specification: destination can't be '/'`;
  }
  return "";
}
