// The failure that a host reports when its disk is full.

import { refusedCall } from "../../shared/index.js";
import { FileError } from "../files/file-system.js";

/** Runs something that takes room on the disk. If the disk is full, the failure names the file. */
export function roomed<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof FileError) || error.code !== "ENOSPC") throw error;
    throw refusedCall(error, "write", `/${error.path.replace(/^\//, "")}`);
  }
}
