// Claims data root and exec root for one engine. Two engines on one root would undo each other's work.

import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Roots } from "../../runtime-linux/paths.js";
import { claimPidFile } from "./pid-file.js";
import type { PidFile } from "./pid-file.js";

/** Throws if another engine with one of these roots is still running, in this process or another. */
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
  // Not readable for others: the list would show them which containers exist.
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
