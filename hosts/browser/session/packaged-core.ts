// The core that the package carries, with its name: for sessions.

import { coreIdentity, packageCore } from "../../embedding/core.js";
import type { NamedCore } from "./session.js";

/** Compiled at the first call. */
export function packagedCore(): NamedCore {
  return { compiled: packageCore(), hash: coreIdentity() };
}
