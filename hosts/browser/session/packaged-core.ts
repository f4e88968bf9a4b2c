// The packaged core with its hash, for sessions.

import { coreIdentity, packageCore } from "../../embedding/core.js";
import type { NamedCore } from "./session.js";

/** Compiled on the first call. */
export function packagedCore(): NamedCore {
  return { compiled: packageCore(), hash: coreIdentity() };
}
