// What the core is told of a host's OCI runtimes.

import type { engine, Host } from "../shared/host.js";

/** In the host's order. What else a host knows of them stays with it: a trace holds what the core was told. */
export function ociRuntimesOf({ runtimes }: Pick<Host, "runtimes">): engine.OciRuntime[] {
  return runtimes.map(({ name, path, version, commit, features }) => ({ name, path, version, commit, features }));
}
