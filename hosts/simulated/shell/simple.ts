// Simple commands: expands words and assignments, then runs a function, a builtin or a program (POSIX 2.9.1).

import type { Assignment, Command, CommandArgument, Word } from "unbash";
import { FileError } from "../files/file-system.js";
import type { NamedBuiltin } from "./builtins/builtin.js";
import { builtinNamed } from "./builtins.js";
import { callFunction } from "./compound.js";
import type { Descriptors } from "./descriptors.js";
import { Exit, ShellError } from "./errors.js";
import { expandWord, expandWords } from "./expand.js";
import { redirected } from "./redirect.js";
import { runProgram } from "./run-program.js";
import type { Shell } from "./shell.js";
import { traced } from "./trace.js";

export async function runSimple(command: Command, shell: Shell, last: boolean): Promise<number> {
  shell.substituted = false;
  const words = command.name ? await expandWords([command.name], shell) : [];
  const isDeclaring = DECLARING.has(words[0] ?? "");
  for (const argument of command.args) words.push(...(await expandArgument(argument, shell, isDeclaring)));
  const prefix = command.prefix.filter((part): part is Assignment => part.type === "Assignment");
  if (words.length === 0) return assignAll(command, prefix, shell);
  const descriptors = await redirected(command.redirects, shell);
  const assignments = await valuesOf(prefix, shell);
  await traced(assignments, words, shell);
  return runWords(words, assignments, descriptors, shell, last);
}

const DECLARING = new Set(["export", "readonly", "local"]);

/** `export A=$b` is an assignment: its value is one field. */
async function expandArgument(argument: CommandArgument, shell: Shell, isDeclaring: boolean): Promise<string[]> {
  if (argument.type === "Word") return expandWords([argument], shell);
  const { name, value, append } = argument;
  if (value.type === "ArrayValue" || append) throw new ShellError(`syntax error: unexpected "("`);
  if (isDeclaring) return [`${name}=${await expandWord(value, shell)}`];
  const fields = await expandWords([value], shell);
  return [`${name}=${fields[0] ?? ""}`, ...fields.slice(1)];
}

async function assignAll(command: Command, prefix: readonly Assignment[], shell: Shell): Promise<number> {
  await redirected(command.redirects, shell);
  for (const assignment of prefix) {
    const [value] = await valuesOf([assignment], shell);
    await traced(value ? [value] : [], [], shell);
    if (value) shell.variables.set(...value);
  }
  return shell.substituted ? shell.status : 0;
}

async function valuesOf(assignments: readonly Assignment[], shell: Shell): Promise<[string, string][]> {
  const values: [string, string][] = [];
  for (const { name, value, append, index } of assignments) {
    if (value.type === "ArrayValue" || index) throw new ShellError(`syntax error: unexpected "("`);
    const before = append ? (shell.variables.value(name) ?? "") : "";
    values.push([name, before + (await expandWord(value satisfies Word, shell))]);
  }
  return values;
}

async function runWords(
  words: readonly string[],
  assignments: readonly (readonly [string, string])[],
  descriptors: Descriptors,
  shell: Shell,
  last: boolean,
): Promise<number> {
  const [name = "", ...args] = words;
  const builtin = builtinNamed(name);
  const own = builtin && (() => runBuiltin(builtin, name, args, shell, descriptors));
  if (own && builtin.isSpecial) {
    for (const [variable, value] of assignments) shell.variables.set(variable, value);
    if (name === "exec") return builtin.run({ shell, args, descriptors });
    return withDescriptors(shell, descriptors, own);
  }
  const body = shell.functions.get(name);
  const run = body ? () => callFunction(body, args, shell) : own;
  if (run) return shell.variables.within(assignments, () => withDescriptors(shell, descriptors, run));
  return runProgram(words, assignments, descriptors, shell, last);
}

/** Reports a write error if the builtin's output is broken or full. */
async function runBuiltin(
  { run, isSpecial }: NamedBuiltin,
  name: string,
  args: readonly string[],
  shell: Shell,
  descriptors: Descriptors,
): Promise<number> {
  try {
    return await run({ shell, args, descriptors });
  } catch (error) {
    if (error instanceof FileError || isPlain(error)) {
      await shell.say(`${shell.name}: write error: ${(error as Error).message}\n`);
      return 1;
    }
    if (!(error instanceof ShellError)) throw error;
    await shell.complain(error.message, name);
    if (isSpecial && !shell.interactive) throw new Exit(error.code);
    return error.code;
  }
}

function isPlain(error: unknown): boolean {
  return error instanceof Error && error.constructor === Error;
}

async function withDescriptors<T>(shell: Shell, descriptors: Descriptors, run: () => Promise<T>): Promise<T> {
  const before = shell.descriptors;
  shell.descriptors = descriptors;
  try {
    return await run();
  } finally {
    // An `exec` within a function should change the outer descriptors too. ash loses the change here as well.
    shell.descriptors = before;
  }
}
