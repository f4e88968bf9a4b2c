// How a supervisor is told of the OCI runtime. Where conmon has no pipe for a standard stream it gives the runtime the
// machine's /dev/null, which runtimes change: by fchown(2), for the container's user, or that of its namespace. So a
// shell stands between the two and opens another in its place.

import { closeSync } from "node:fs";
import type { Kernel } from "../kernel.js";
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
  /** The container's /dev/null is the machine's. Runtimes open it in the place of any like it, and change that then. */
  hasMachineNull?: boolean;
}

/** `words`: come first. A runtime that is not there ends the shell without a word. */
export function supervisedRuntime(
  kernel: Kernel,
  path: string,
  words: readonly string[],
  pipes: Pipes,
): SupervisedRuntime {
  if (pipes.hasMachineNull) return { args: shell(path, words, emptyPipe(pipes)), release: () => {} };
  const fd = kernel.openNull();
  const nothing = `/proc/${process.pid}/fd/${fd}`;
  const redirections = `${pipes.stdin ? "" : ` <${nothing}`}${pipes.stdout ? "" : ` >${nothing}`}`;
  return { args: shell(path, words, redirections), release: () => closeSync(fd) };
}

/** Of a pipe that nobody writes to; the runtime's output is the terminal's, so nothing is written to its own. */
function emptyPipe(pipes: Pipes): string {
  if (pipes.stdin) return "";
  return ` <<END${pipes.stdout ? "" : " >&0"}\nEND\n`;
}

function shell(path: string, words: readonly string[], redirections: string): string[] {
  const script = `[ -x "$0" ] && exec "$0" "$@"${redirections}`;
  const args = ["-c", script, path, ...words].flatMap((word) => ["--runtime-arg", word]);
  return ["--runtime", findProgram("sh") ?? "/bin/sh", ...args];
}
