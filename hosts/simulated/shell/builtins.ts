// The shell's own commands, by name. Those of `SPECIAL_BUILTINS` come before functions, and end the shell when they fail
// (POSIX 2.14).

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
  /** Without the name. */
  args: readonly string[];
  /** Of this command. */
  descriptors: Descriptors;
}

/** Resolves to the exit code. */
export type Builtin = (call: Call) => Promise<number>;

export const SPECIAL_BUILTINS: Readonly<Record<string, Builtin>> = { ...control, ...assignment };

export const BUILTINS: Readonly<Record<string, Builtin>> = { ...output, ...inquiry, ...jobs, ...place, read };

export function isBuiltin(name: string): boolean {
  return name in SPECIAL_BUILTINS || name in BUILTINS;
}
