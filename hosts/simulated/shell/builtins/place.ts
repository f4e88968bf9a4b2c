// Builtins about where a process is and what its files are like: cd, pwd, umask, ulimit, local.

import { FileError } from "../../files/file-system.js";
import { absolute } from "../../processes/executable.js";
import type { Builtin, Call } from "../builtins.js";
import { ShellError } from "../errors.js";
import { assignmentOf } from "./assignment.js";
import { normalize } from "../../programs/paths.js";

export const place: Readonly<Record<string, Builtin>> = { cd, pwd, umask, ulimit, local };

async function cd({ shell, args }: Call): Promise<number> {
  const { process, variables } = shell;
  const wanted = args.find((arg) => !/^-[LP]$/.test(arg)) ?? variables.value("HOME") ?? "";
  const path = wanted === "-" ? (variables.value("OLDPWD") ?? "/") : wanted;
  if (path === "") return 0;
  const target = normalize(absolute(path, process.cwd));
  try {
    if (process.files.status(target).kind !== "directory") throw new FileError("ENOTDIR", path);
    process.files.resolve(`${target}/.`);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    throw new ShellError(`can't cd to ${path}: ${error.message}`);
  }
  if (wanted === "-") await shell.out(`${target}\n`);
  variables.set("OLDPWD", process.cwd);
  process.cwd = target;
  variables.set("PWD", target);
  return 0;
}

async function pwd({ shell }: Call): Promise<number> {
  await shell.out(`${shell.process.cwd}\n`);
  return 0;
}

async function umask({ shell, args }: Call): Promise<number> {
  const [mode] = args;
  if (mode === undefined) await shell.out(`${shell.process.umask.toString(8).padStart(4, "0")}\n`);
  else if (/^[0-7]+$/.test(mode)) shell.process.umask = Number.parseInt(mode, 8) & 0o777;
  else throw new ShellError(`Illegal mode: ${mode}`);
  return 0;
}

/** Limits are told; nothing here comes near them. */
async function ulimit({ shell, args }: Call): Promise<number> {
  const option = args.find((arg) => /^-[a-zA-Z]$/.test(arg)) ?? "-f";
  const isHard = args.includes("-H");
  const limit = shell.process.namespace.resourceLimit(option.slice(1));
  await shell.out(`${limit === null ? "unlimited" : isHard ? limit.hard : limit.soft}\n`);
  return 0;
}

async function local({ shell, args }: Call): Promise<number> {
  if (!shell.locals) throw new ShellError("not in a function");
  for (const word of args) {
    const [name, value] = assignmentOf(word);
    if (!shell.locals.has(name)) shell.locals.set(name, shell.variables.snapshot(name));
    if (value !== undefined) shell.variables.set(name, value);
  }
  return 0;
}
