// Builtins that control what runs next: exit, return, break, continue, eval, `.`, exec, shift, trap, and `:`.

import { FileError } from "../../files/file-system.js";
import { NoProgram } from "../../program.js";
import { absolute, lookup } from "../../processes/executable.js";
import { signalName, signalNumber } from "../../processes/signals.js";
import type { Builtin, Call } from "./builtin.js";
import { Exit, Loop, Return, ShellError } from "../errors.js";
import { replace } from "../run-program.js";
import type { Shell } from "../shell.js";
import { quoteValue } from "../trace.js";

export const control: Readonly<Record<string, Builtin>> = {
  ":": async () => 0,
  exit: async ({ shell, args }) => {
    throw new Exit(codeOf(args[0], shell));
  },
  return: async ({ shell, args }) => {
    throw new Return(codeOf(args[0], shell));
  },
  break: async ({ shell, args }) => leave("break", args[0], shell),
  continue: async ({ shell, args }) => leave("continue", args[0], shell),
  eval: async ({ shell, args }) => shell.evaluate(args.join(" ")),
  ".": source,
  exec,
  shift,
  trap,
};

function codeOf(text: string | undefined, shell: Shell): number {
  return text === undefined ? shell.status : count(text) & 0xff;
}

function count(text: string): number {
  if (!/^\d+$/.test(text)) throw new ShellError(`Illegal number: ${text}`);
  return Number(text);
}

function leave(kind: "break" | "continue", levels: string | undefined, shell: Shell): number {
  const wanted = levels === undefined ? 1 : count(levels);
  if (shell.loops > 0 && wanted > 0) throw new Loop(kind, Math.min(wanted, shell.loops));
  return 0;
}

/** `. FILE`: looked up in PATH unless it contains a slash. */
async function source({ shell, args: [file, ...parameters] }: Call): Promise<number> {
  if (file === undefined) throw new ShellError("filename argument required");
  const text = new TextDecoder().decode(readScript(file, shell));
  const before = shell.parameters;
  if (parameters.length > 0) shell.parameters = parameters;
  try {
    return await shell.evaluate(text);
  } catch (error) {
    if (error instanceof Return) return error.code;
    throw error;
  } finally {
    shell.parameters = before;
  }
}

function readScript(file: string, { process, variables }: Shell): Uint8Array {
  const { files, cwd, uid } = process;
  const search = { files, cwd, uid, path: variables.value("PATH"), program: () => undefined };
  const path = file.includes("/") ? absolute(file, cwd) : (lookup(file, search) ?? absolute(file, cwd));
  try {
    return files.read(path);
  } catch (error) {
    if (error instanceof FileError) throw new ShellError(`can't open '${file}': ${error.message}`);
    throw error;
  }
}

/** Without a command, the redirections stay in effect. */
async function exec({ shell, args, descriptors }: Call): Promise<number> {
  if (args.length === 0) {
    shell.descriptors = descriptors;
    shell.process.redirect(descriptors.source(0), descriptors.sink(1), descriptors.sink(2));
    return 0;
  }
  try {
    return await replace(args, shell.variables.exported(), descriptors, shell);
  } catch (error) {
    if (!(error instanceof NoProgram)) throw error;
    await shell.complain(error.message, "exec");
    throw new Exit(error.found ? 126 : 127);
  }
}

async function shift({ shell, args }: Call): Promise<number> {
  const by = args[0] === undefined ? 1 : count(args[0]);
  if (by > shell.parameters.length) return 1;
  shell.parameters = shell.parameters.slice(by);
  return 0;
}

async function trap({ shell, args }: Call): Promise<number> {
  const words = args[0] === "--" ? args.slice(1) : args;
  if (words.length === 0) {
    for (const [signal, action] of shell.traps.list())
      await shell.out(`trap -- ${quoteValue(action)} ${signal === 0 ? "EXIT" : signalName(signal)}\n`);
    return 0;
  }
  const isReset = words[0] === "-" || /^\d+$/.test(words[0]!);
  const action = isReset ? null : words[0]!;
  const names = words[0] === "-" || !isReset ? words.slice(1) : words;
  let status = 0;
  for (const name of names) {
    const signal = signalNumber(name);
    if (signal !== undefined) shell.traps.set(signal, action);
    else {
      await shell.complain(`${name}: invalid signal specification`, "trap");
      status = 1;
    }
  }
  return status;
}
