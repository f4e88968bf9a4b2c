// How conmon is told to call the OCI runtime. If conmon has no pipe for a standard stream, it gives the runtime the
// machine's /dev/null. Runtimes change that file: by fchown(2) to the container's user, or to that of its namespace. So
// a shell between the two opens another device instead.

import { closeSync } from "node:fs";
import type { Kernel } from "../kernel.js";
import { findProgram } from "./find-program.js";
import type { Runtime } from "./runtimes.js";
import { sealedProgram } from "./sealed-program.js";

export interface SupervisedRuntime {
  /** Arguments for conmon. */
  args: string[];
  /** To be called once the runtime has started, or never will. */
  release: () => void;
}

/** The standard streams for which conmon has a pipe. */
export interface Pipes {
  stdin: boolean;
  stdout: boolean;
  /** The container's /dev/null is the machine's. Runtimes reopen it in place of any null device, and then change it. */
  hasMachineNull?: boolean;
}

/** `words` come before the rest of the command. If the runtime is missing, the shell ends silently. */
export function supervisedRuntime(
  kernel: Kernel,
  runtime: Pick<Runtime, "path" | "kind">,
  words: readonly string[],
  pipes: Pipes,
): SupervisedRuntime {
  const started = { path: runtime.path, program: sealedProgram(runtime, kernel) };
  if (pipes.hasMachineNull) return { args: shell(started, words, emptyPipe(pipes)), release: () => {} };
  const fd = kernel.openNull();
  const nothing = `/proc/${process.pid}/fd/${fd}`;
  const redirections = `${pipes.stdin ? "" : ` <${nothing}`}${pipes.stdout ? "" : ` >${nothing}`}`;
  return { args: shell(started, words, redirections), release: () => closeSync(fd) };
}

/**
 * The reading end of a pipe that nobody writes to. Nothing is written to it either: the runtime's output goes to the
 * terminal.
 */
function emptyPipe(pipes: Pipes): string {
  if (pipes.stdin) return "";
  return ` <<END${pipes.stdout ? "" : " >&0"}\nEND\n`;
}

interface Started {
  path: string;
  /** What is started in its place. */
  program: string;
}

/**
 * The shell's command line has the runtime's path in any case: that is how it is found (`processes-of-run.ts`). The sealed
 * file may be gone with this process.
 */
function shell({ path, program }: Started, words: readonly string[], redirections: string): string[] {
  const choice = program === path ? "p=$0" : `p=${program}; [ -x $p ] || p=$0`;
  const script = `${choice}; [ -x "$p" ] && exec "$p" "$@"${redirections}`;
  const args = ["-c", script, path, ...words].flatMap((word) => ["--runtime-arg", word]);
  return ["--runtime", findProgram("sh") ?? "/bin/sh", ...args];
}
