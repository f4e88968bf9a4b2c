// The facts about a host's OCI runtimes for the core.

import type { Host, engine } from "../shared/index.js";

/** In the host's order. Only what the core needs: a trace contains everything that the core gets. */
export function ociRuntimesOf({ runtimes }: Pick<Host, "runtimes">): engine.OciRuntime[] {
  return runtimes.map(({ name, path, version, commit, features }) => ({ name, path, version, commit, features }));
}
