// A full disk, in the words of a host.

import { refusedCall } from "../../shared/failure.js";
import { FileError } from "../files/file-system.js";

/** Does something that takes room; when there is none, that is told by the name that the file has. */
export function roomed<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof FileError) || error.code !== "ENOSPC") throw error;
    throw refusedCall(error, "write", `/${error.path.replace(/^\//, "")}`);
  }
}
