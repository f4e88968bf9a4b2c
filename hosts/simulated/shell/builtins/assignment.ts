// Builtins that change variables, parameters and options: export, readonly, unset, set.

import type { Builtin, Call } from "./builtin.js";
import { ShellError } from "../errors.js";
import { quoteValue } from "../trace.js";
import { NAME } from "../variables.js";
import type { Shell } from "../shell.js";

export const assignment: Readonly<Record<string, Builtin>> = {
  export: (call) => declare(call, "exported", "export"),
  readonly: (call) => declare(call, "readOnly", "readonly"),
  set: setParameters,
  unset,
};

async function declare({ shell, args }: Call, which: "exported" | "readOnly", command: string): Promise<number> {
  const isUndone = args[0] === "-n";
  const names = args.filter((arg) => !/^-[pn]$/.test(arg));
  if (names.length === 0) {
    for (const [name, value] of shell.variables.list(which))
      await shell.out(`${command} ${name}${value === undefined ? "" : `=${quoteValue(value)}`}\n`);
    return 0;
  }
  for (const word of names) {
    const [name, value] = assignmentOf(word);
    if (value !== undefined) shell.variables.set(name, value);
    if (which === "readOnly") shell.variables.makeReadOnly(name);
    else if (isUndone) shell.variables.unexport(name);
    else shell.variables.export(name);
  }
  return 0;
}

/** Parses `NAME` or `NAME=VALUE`. */
export function assignmentOf(word: string): [string, string | undefined] {
  const equals = word.indexOf("=");
  const name = equals < 0 ? word : word.slice(0, equals);
  if (!NAME.test(name)) throw new ShellError(`${name}: bad variable name`);
  return [name, equals < 0 ? undefined : word.slice(equals + 1)];
}

async function unset({ shell, args }: Call): Promise<number> {
  const ofFunctions = args[0] === "-f";
  for (const name of args.filter((arg) => !/^-[vf]$/.test(arg))) {
    if (!NAME.test(name)) throw new ShellError(`${name}: bad variable name`);
    if (ofFunctions) shell.functions.delete(name);
    else shell.variables.unset(name);
  }
  return 0;
}

async function setParameters({ shell, args }: Call): Promise<number> {
  if (args.length === 0) {
    for (const [name, value] of shell.variables.list()) await shell.out(`${name}=${quoteValue(value ?? "")}\n`);
    return 0;
  }
  let at = 0;
  for (; at < args.length && /^[-+]./.test(args[at]!); at++) {
    const word = args[at]!;
    if (word === "--") return replaceParameters(args.slice(at + 1), shell);
    if (word[1] === "o") setOption(LETTERS[args[++at] ?? ""] ?? "", word[0] === "-", args[at] ?? "", shell);
    else for (const letter of word.slice(1)) setOption(letter, word[0] === "-", letter, shell);
  }
  return at < args.length || args[0] === "-" ? replaceParameters(args.slice(at), shell) : 0;
}

function replaceParameters(parameters: readonly string[], shell: Shell): number {
  shell.parameters = parameters;
  return 0;
}

const LETTERS: Readonly<Record<string, string>> = {
  errexit: "e",
  nounset: "u",
  xtrace: "x",
  noglob: "f",
  noexec: "n",
  verbose: "v",
  allexport: "a",
  noclobber: "C",
  monitor: "m",
  notify: "b",
  pipefail: "pipefail",
};

function setOption(letter: string, on: boolean, written: string, shell: Shell): void {
  if (!Object.values(LETTERS).includes(letter)) throw new ShellError(`illegal option ${on ? "-" : "+"}${written}`);
  if (on) shell.options.add(letter);
  else shell.options.delete(letter);
}
