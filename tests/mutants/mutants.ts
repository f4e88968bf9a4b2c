// Rules that are broken, each in one place: the project's searches must find them. A mutant's number is its position
// here, from 1; 0 means none.

import { API_MUTANTS } from "./core/api.js";
import { BUILD_MUTANTS } from "./core/build.js";
import { CONTAINER_ENDS_MUTANTS } from "./core/container/ends.js";
import { CONTAINER_OTHER_MUTANTS } from "./core/container/other.js";
import { CONTAINER_REMOVAL_MUTANTS } from "./core/container/removal.js";
import { CONTAINER_RESTARTS_MUTANTS } from "./core/container/restarts.js";
import { CONTAINER_STARTS_MUTANTS } from "./core/container/starts.js";
import { ENGINE_MUTANTS } from "./core/engine.js";
import { EVENT_MUTANTS } from "./core/event.js";
import { EXEC_MUTANTS } from "./core/exec.js";
import { HEALTH_MUTANTS } from "./core/health.js";
import { IMAGE_MUTANTS } from "./core/image.js";
import { JSON_MUTANTS } from "./core/json.js";
import { NETWORK_MUTANTS } from "./core/network.js";
import { SYSTEM_MUTANTS } from "./core/system.js";
import { VOLUME_MUTANTS } from "./core/volume.js";
import { HOSTS_DRIVER_MUTANTS } from "./hosts/driver.js";
import { HOSTS_NODE_MUTANTS } from "./hosts/node.js";
import { HOSTS_REGISTRY_MUTANTS } from "./hosts/registry.js";
import { RUNTIME_LINUX_MUTANTS } from "./hosts/runtime-linux.js";
import { HOSTS_SIMULATED_MUTANTS } from "./hosts/simulated.js";
import { HOSTS_STREAMS_MUTANTS } from "./hosts/streams.js";
import type { Mutant } from "./mutant.js";

export const MUTANTS: readonly Mutant[] = [
  ...API_MUTANTS,
  ...BUILD_MUTANTS,
  ...CONTAINER_ENDS_MUTANTS,
  ...CONTAINER_OTHER_MUTANTS,
  ...CONTAINER_REMOVAL_MUTANTS,
  ...CONTAINER_RESTARTS_MUTANTS,
  ...CONTAINER_STARTS_MUTANTS,
  ...ENGINE_MUTANTS,
  ...EVENT_MUTANTS,
  ...EXEC_MUTANTS,
  ...HEALTH_MUTANTS,
  ...IMAGE_MUTANTS,
  ...JSON_MUTANTS,
  ...NETWORK_MUTANTS,
  ...SYSTEM_MUTANTS,
  ...VOLUME_MUTANTS,
  ...HOSTS_DRIVER_MUTANTS,
  ...HOSTS_NODE_MUTANTS,
  ...HOSTS_REGISTRY_MUTANTS,
  ...HOSTS_SIMULATED_MUTANTS,
  ...HOSTS_STREAMS_MUTANTS,
  ...RUNTIME_LINUX_MUTANTS,
];

const NUMBERS = new Map(MUTANTS.map(({ name }, at) => [name, at + 1]));

export function numberOf({ name }: Mutant): number {
  return NUMBERS.get(name) ?? 0;
}
