// The shell's own commands, by name.

import { assignment } from "./builtins/assignment.js";
import type { Builtin, NamedBuiltin } from "./builtins/builtin.js";
import { control } from "./builtins/control.js";
import { inquiry } from "./builtins/inquiry.js";
import { jobs } from "./builtins/jobs.js";
import { output } from "./builtins/output.js";
import { place } from "./builtins/place.js";
import { read } from "./builtins/read.js";

const ALL: ReadonlyMap<string, NamedBuiltin> = new Map([
  ...named({ ...control, ...assignment }, true),
  ...named({ ...output, ...inquiry(builtinNamed), ...jobs, ...place, read }, false),
]);

export function builtinNamed(name: string): NamedBuiltin | undefined {
  return ALL.get(name);
}

function named(builtins: Readonly<Record<string, Builtin>>, isSpecial: boolean): [string, NamedBuiltin][] {
  return Object.entries(builtins).map(([name, run]) => [name, { run, isSpecial }]);
}
