// What the core is told of the engine that it is the core of.

import type { engine } from "../host.js";
import { ociRuntimesOf } from "../oci-runtimes.js";
import { VERSION } from "../version.js";
import type { EngineOptions } from "./engine.js";
import { offersOf } from "./host-offers.js";

const BODY_LIMIT = 4 * 1024 * 1024;

export function bodyLimitOf({ bodyLimit = BODY_LIMIT }: EngineOptions): number {
  return bodyLimit;
}

/** The platform is not told: what an engine answers does not depend on it. */
export function coreOptions(options: EngineOptions): Omit<engine.Options, "epoch"> {
  const { host, insecureRegistries = [], labels = [] } = options;
  const { directories } = offersOf(host);
  return {
    version: VERSION,
    commit: "",
    built: "",
    platform: "embedded",
    dataRoot: directories?.data ?? "",
    execRoot: directories?.exec ?? "",
    bodyLimit: bodyLimitOf(options),
    debug: false,
    insecureRegistries: [...insecureRegistries],
    labels: [...labels],
    logDriver: "json-file",
    logOptions: [],
    runtimes: ociRuntimesOf(host),
    defaultRuntime: host.runtimes[0]?.name ?? "",
    machine: host.machine,
  };
}
