// The options that tell the core about an embedded engine.

import type { DriverOptions } from "../driver/index.js";
import { coreOptions, offersOf } from "../engine/index.js";
import type { EngineOptions } from "./engine.js";

/** The platform is left out: an engine's answers do not depend on it. */
export function coreOptionsOf(options: EngineOptions): DriverOptions["engine"] {
  const { directories = { data: "", exec: "" } } = offersOf(options.host);
  const { host, insecureRegistries, labels, networks, bodyLimit, unpackedLimit, maxApiVersion } = options;
  const { documentLimit, layerLimit } = options;
  return coreOptions(host, {
    ...{ platform: "embedded", dataRoot: directories.data, execRoot: directories.exec },
    ...(insecureRegistries && { insecureRegistries }),
    ...(labels && { labels }),
    ...(networks && { networks }),
    ...(bodyLimit !== undefined && { bodyLimit }),
    ...(unpackedLimit !== undefined && { unpackedLimit }),
    ...(documentLimit !== undefined && { documentLimit }),
    ...(layerLimit !== undefined && { layerLimit }),
    ...(maxApiVersion !== undefined && { maxApiVersion }),
  });
}
