// The parts of the machine that launches, execs and their ends use.

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
  /** How long a runtime has to make a container. After that it never will. */
  createLimitMs: number;
  /** Starts a child where this runtime can work. By default it sees only the engine's own mounts. */
  born: (runtime: Pick<Runtime, "kind">, spawn: () => Child, sight?: Sight) => Child;
}
