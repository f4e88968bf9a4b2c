// Runs a program of the container, as a child or in the shell's place (POSIX 2.9.1.6).

import type { ContainerProcess } from "../processes/process.js";
import { SIGINT, signalText } from "../processes/signals.js";
import { NoProgram } from "../program.js";
import type { Descriptors } from "./descriptors.js";
import { Exit } from "./errors.js";
import type { Shell } from "./shell.js";

/** `last`: nothing comes after it in this process, so it replaces the shell. */
export async function runProgram(
  words: readonly string[],
  assignments: readonly (readonly [string, string])[],
  descriptors: Descriptors,
  shell: Shell,
  last: boolean,
): Promise<number> {
  const env = shell.variables.exported();
  for (const [name, value] of assignments) env.set(name, value);
  try {
    if (last && shell.traps.size === 0 && !shell.interactive) return await replace(words, env, descriptors, shell);
    return await ended(shell.spawn(words, env, descriptors), shell);
  } catch (error) {
    if (error instanceof NoProgram) return notRun(error, shell, descriptors);
    throw error;
  }
}

/** execve(2): replaces the shell by a program in the same process. */
export async function replace(
  words: readonly string[],
  env: ReadonlyMap<string, string>,
  descriptors: Descriptors,
  { process }: Shell,
): Promise<never> {
  const redirect = (): void => process.redirect(descriptors.source(0), descriptors.sink(1), descriptors.sink(2));
  throw new Exit(await process.exec(words, env, redirect));
}

/** Waits for a child in the foreground, and prints a message if a signal killed it. */
async function ended(child: ContainerProcess, shell: Shell): Promise<number> {
  const code = await child.exited;
  await shell.process.work(0);
  const text = child.endedBy ? signalText(child.endedBy) : "";
  if (text || (shell.interactive && child.endedBy === SIGINT)) await shell.say(`${text}\n`);
  return code;
}

async function notRun(error: NoProgram, shell: Shell, descriptors: Descriptors): Promise<number> {
  const before = shell.descriptors;
  shell.descriptors = descriptors;
  await shell.complain(error.message);
  shell.descriptors = before;
  return error.found ? 126 : 127;
}
