// The newest version that a client is served. Whoever starts the engine may set an older one than the core knows, for all
// clients or for those of one listener: some clients take the newest version, but only understand older answers.

import { Options } from "../../../build/bindings/types";
import { MAX_VERSION, newestVersionProblem, servedVersion } from "./versions";

/** `listener`: where the client's request arrived. */
export function newestVersionAt(options: Options, listener: string): i32 {
  let newest = options.maxApiVersion.length == 0 ? MAX_VERSION : servedVersion(options.maxApiVersion);
  const own = options.listenerVersions;
  for (let i = 0; i < own.length; i++) if (own[i].first == listener) newest = min(newest, servedVersion(own[i].second));
  return newest;
}

/** What is wrong with the versions in the options; empty if nothing is. */
export function versionsProblem(options: Options): string {
  let problem = options.maxApiVersion.length == 0 ? "" : newestVersionProblem(options.maxApiVersion);
  const own = options.listenerVersions;
  for (let i = 0; i < own.length && problem.length == 0; i++) problem = newestVersionProblem(own[i].second);
  return problem;
}
