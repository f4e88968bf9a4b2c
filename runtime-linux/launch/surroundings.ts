// What launches, execs and their ends need of the machine.

import type { Cgroups } from "../cgroups/cgroups.js";
import type { Child } from "./child.js";
import type { Sight } from "./hybrid.js";
import type { Kernel } from "../kernel.js";
import type { Paths } from "../paths.js";
import type { Runtime } from "./runtimes.js";

export interface Surroundings {
  paths: Paths;
  kernel: Kernel;
  cgroups: Cgroups;
  /** Path of conmon. */
  conmon: string;
  /** A runtime that has not done its part by then never will. */
  createLimitMs: number;
  /** Starts a child where this runtime can work, with the engine's own mounts in sight if nothing else is said. */
  born: (runtime: Pick<Runtime, "kind">, spawn: () => Child, sight?: Sight) => Child;
}
