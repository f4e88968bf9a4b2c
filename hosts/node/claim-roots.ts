// Data root and exec root belong to one engine at a time: two on one of them would undo each other's work.

import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Roots } from "../../runtime-linux/paths.js";
import { claimPidFile } from "./pid-file.js";
import type { PidFile } from "./pid-file.js";

/** Throws when an engine that has one of them is still running, in this process or in another. */
export function claimRoots({ data, exec }: Roots): PidFile {
  const root = claimRoot(data);
  try {
    const other = resolve(exec) === resolve(data) ? NOTHING : claimRoot(exec);
    return {
      release() {
        other.release();
        root.release();
      },
    };
  } catch (error) {
    root.release();
    throw error;
  }
}

const inThisProcess = new Set<string>();

function claimRoot(directory: string): PidFile {
  const root = resolve(directory);
  if (inThisProcess.has(root)) throw new Error(`${root} belongs to another engine of this process`);
  // Who lists it would see which containers there are.
  mkdirSync(root, { recursive: true, mode: 0o711 });
  const file = claimPidFile(join(root, "daemon.pid"), true);
  inThisProcess.add(root);
  return {
    release() {
      inThisProcess.delete(root);
      file.release();
    },
  };
}

const NOTHING: PidFile = { release() {} };
