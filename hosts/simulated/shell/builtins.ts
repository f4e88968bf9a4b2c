// The shell's own commands, by name. Those of `SPECIAL_BUILTINS` take precedence over functions, and end the shell when
// they fail (POSIX 2.14).

import { control } from "./builtins/control.js";
import { inquiry } from "./builtins/inquiry.js";
import { jobs } from "./builtins/jobs.js";
import { output } from "./builtins/output.js";
import { read } from "./builtins/read.js";
import { place } from "./builtins/place.js";
import { assignment } from "./builtins/assignment.js";
import type { Descriptors } from "./redirect.js";
import type { Shell } from "./shell.js";

export interface Call {
  shell: Shell;
  /** Arguments, without the name. */
  args: readonly string[];
  /** The descriptors of this command. */
  descriptors: Descriptors;
}

/** Runs the command and resolves to its exit code. */
export type Builtin = (call: Call) => Promise<number>;

export const SPECIAL_BUILTINS: Readonly<Record<string, Builtin>> = { ...control, ...assignment };

export const BUILTINS: Readonly<Record<string, Builtin>> = { ...output, ...inquiry, ...jobs, ...place, read };

export function isBuiltin(name: string): boolean {
  return name in SPECIAL_BUILTINS || name in BUILTINS;
}
