// How a supervisor is told of the OCI runtime. Where conmon has no pipe for a standard stream it gives the runtime the
// machine's /dev/null, which runtimes change: by fchown(2), for the container's user, or that of its namespace. So a
// shell stands between the two and opens another in its place.

import { closeSync } from "node:fs";
import type { Kernel } from "./kernel.js";
import { findProgram } from "./runtimes.js";

export interface SupervisedRuntime {
  /** For conmon. */
  args: string[];
  /** To be called once the runtime has begun, or never will. */
  release: () => void;
}

/** Which of its standard streams conmon has a pipe for. */
export interface Pipes {
  stdin: boolean;
  stdout: boolean;
}

/** `words`: come first. A runtime that is not there ends the shell without a word. */
export function supervisedRuntime(
  kernel: Kernel,
  path: string,
  words: readonly string[],
  pipes: Pipes,
): SupervisedRuntime {
  const fd = kernel.openNull();
  const nothing = `/proc/${process.pid}/fd/${fd}`;
  const script = `[ -x "$0" ] && exec "$0" "$@"${pipes.stdin ? "" : ` <${nothing}`}${pipes.stdout ? "" : ` >${nothing}`}`;
  const args = ["-c", script, path, ...words].flatMap((word) => ["--runtime-arg", word]);
  return { args: ["--runtime", findProgram("sh") ?? "/bin/sh", ...args], release: () => closeSync(fd) };
}
