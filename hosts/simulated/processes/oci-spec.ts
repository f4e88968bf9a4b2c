// The parts of a launch's `config.json` that are read here (OCI runtime spec).

import type { BlockIO } from "../../shared/index.js";
import type { MountSpec } from "../files/disk.js";

export interface Spec {
  hostname?: string;
  process?: {
    args?: string[];
    env?: string[];
    cwd?: string;
    capabilities?: { bounding?: string[]; effective?: string[] };
    rlimits?: { type: string; soft: number; hard: number }[];
    noNewPrivileges?: boolean;
    oomScoreAdj?: number;
  };
  root?: { readonly?: boolean };
  mounts?: (MountSpec & { source?: string })[];
  linux?: {
    cgroupsPath?: string;
    namespaces?: { type: string; path?: string }[];
    resources?: Resources;
    sysctl?: Record<string, string>;
    maskedPaths?: string[];
  };
}

/** The limits that have an effect in this world. */
export interface Resources {
  memory?: { limit?: number; swap?: number; reservation?: number };
  pids?: { limit?: number };
  cpu?: { shares?: number; quota?: number; period?: number; cpus?: string; mems?: string };
  blockIO?: BlockIO;
}
