// Logs that outlive their containers. Each is the log of a container that has nothing else.

import { renameSync, writeFileSync } from "node:fs";
import type { Stdio, content } from "../../hosts/shared/index.js";
import { keptLog } from "../../hosts/streams/index.js";
import { makePrivate, removeAll } from "../directories.js";
import type { Paths } from "../paths.js";
import { checked } from "./filesystems.js";

export interface KeptLogDeps {
  paths: Paths;
  /** Opens the log of a container. */
  log: Stdio["log"];
}

/** Returns the size of the copy. */
export async function keepLog({ container, copy }: content.KeptLog, { paths, log }: KeptLogDeps): Promise<bigint> {
  const bytes = await keptLog(await log(checked(container)), copy);
  if (bytes.length === 0) return 0n;
  const path = paths.log(checked(copy.container));
  try {
    makePrivate(paths.container(copy.container));
    // A reader never finds half of it.
    writeFileSync(`${path}.next`, bytes, { mode: 0o600 });
    renameSync(`${path}.next`, path);
  } catch (error) {
    await removeAll(paths.container(copy.container));
    throw error;
  }
  return BigInt(bytes.length);
}
