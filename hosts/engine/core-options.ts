// What the core is told of the engine that it is the core of.

import type { DriverOptions } from "../driver/index.js";
import type { Host, engine } from "../shared/host.js";
import { ociRuntimesOf } from "./oci-runtimes.js";
import { VERSION } from "../shared/version.js";

/** What can change while an engine runs. */
export interface EngineSettings {
  debug?: boolean;
  /** Registries that may be spoken to without TLS. */
  insecureRegistries?: readonly string[];
  labels?: readonly string[];
  /** By name; null or not given: the first that the host has. */
  defaultRuntime?: string | null;
}

/** What does not follow from the host. */
export interface EngineIdentity extends EngineSettings {
  /** What the engine runs on, for people. */
  platform: string;
  dataRoot: string;
  execRoot: string;
  /** JSON bodies beyond so many bytes are refused; 4 MiB if not given. */
  bodyLimit?: number;
  logDriver?: string;
  logOptions?: Iterable<[string, string]>;
}

const BODY_LIMIT = 4 * 1024 * 1024;

export function coreOptions(host: Host, given: EngineIdentity): DriverOptions["engine"] {
  const { platform, dataRoot, execRoot, bodyLimit = BODY_LIMIT, logDriver = "json-file", logOptions = [] } = given;
  return {
    ...{ version: VERSION, commit: "", built: "", platform, dataRoot, execRoot, bodyLimit },
    ...settingsOf(host, given),
    ...{ logDriver, logOptions: [...logOptions], machine: host.machine },
  };
}

/** The same of what can change, with what the host can run containers with now. */
export function settingsOf(host: Pick<Host, "runtimes">, given: EngineSettings): engine.Settings {
  const { debug = false, insecureRegistries = [], labels = [], defaultRuntime } = given;
  const runtimes = ociRuntimesOf(host);
  return {
    ...{ debug, insecureRegistries: [...insecureRegistries], labels: [...labels], runtimes },
    defaultRuntime: defaultRuntime ?? runtimes[0]?.name ?? "",
  };
}
