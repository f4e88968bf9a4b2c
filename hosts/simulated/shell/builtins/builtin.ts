// What a builtin is given, and what it gives.

import type { Descriptors } from "../descriptors.js";
import type { Shell } from "../shell.js";

export interface Call {
  shell: Shell;
  /** Arguments, without the name. */
  args: readonly string[];
  /** The descriptors of this command. */
  descriptors: Descriptors;
}

/** Runs the command and resolves to its exit code. */
export type Builtin = (call: Call) => Promise<number>;

export interface NamedBuiltin {
  run: Builtin;
  /** It takes precedence over functions, and ends the shell when it fails (POSIX 2.14). */
  isSpecial: boolean;
}

export type FindBuiltin = (name: string) => NamedBuiltin | undefined;
