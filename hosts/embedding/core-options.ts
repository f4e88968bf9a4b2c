// The options that tell the core about an embedded engine.

import type { DriverOptions } from "../driver/index.js";
import { coreOptions, offersOf } from "../engine/index.js";
import type { EngineOptions } from "./engine.js";

/** The most that each limit can be. A document is in the core's memory as a whole, some times over. */
const MOST = {
  bodyLimit: 2 ** 32 - 1,
  unpackedLimit: Number.MAX_SAFE_INTEGER,
  documentLimit: 64 * 1024 * 1024,
  layerLimit: 2 ** 32 - 1,
} as const;

/** The platform is left out: an engine's answers do not depend on it. Throws `RangeError` if a limit cannot be. */
export function coreOptionsOf(options: EngineOptions): DriverOptions["engine"] {
  const { directories = { data: "", exec: "" } } = offersOf(options.host);
  const { host, insecureRegistries, labels, networks, bodyLimit, unpackedLimit, maxApiVersion } = options;
  const { documentLimit, layerLimit } = options;
  for (const name of Object.keys(MOST) as (keyof typeof MOST)[]) requirePossible(name, options[name]);
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

function requirePossible(name: keyof typeof MOST, limit: number | undefined): void {
  if (limit === undefined || (Number.isInteger(limit) && limit >= 1 && limit <= MOST[name])) return;
  throw new RangeError(`${name} is ${limit}: only whole numbers from 1 to ${MOST[name]} are possible`);
}
