// The client for registries of the Linux daemon: one in the engine's thread, and one in each thread for content.

import type { Roots } from "../../runtime-linux/paths.js";
import { registryClient, type RegistryClient } from "../registry/index.js";
import { VERSION } from "../shared/index.js";
import { systemClock } from "./clock.js";
import { nodeTransport, type WayOut } from "./registry/index.js";

/** What a thread for content is given (content-thread.ts). */
export interface ThreadData {
  roots: Roots;
  way: WayOut;
}

export function linuxRegistry(way: WayOut): RegistryClient {
  return registryClient({ transport: nodeTransport(way), clock: systemClock, userAgent: `coracle/${VERSION}` });
}
