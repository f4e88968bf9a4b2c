// Builtins about a process's directory, permissions and limits: cd, pwd, umask, ulimit, local.

import { FileError } from "../../files/file-system.js";
import { absolute } from "../../processes/executable.js";
import type { Builtin, Call } from "./builtin.js";
import { ShellError } from "../errors.js";
import { assignmentOf } from "./assignment.js";
import { changedMode } from "../../programs/files/modes.js";
import { UsageError } from "../../programs/options.js";
import { normalize } from "../../programs/paths.js";

export const place: Readonly<Record<string, Builtin>> = { cd, pwd, umask, ulimit, local };

async function cd({ shell, args }: Call): Promise<number> {
  const { process, variables } = shell;
  const isPhysical = isPhysicalIn(args);
  const wanted = args.find((arg) => !/^-[LP]$/.test(arg)) ?? variables.value("HOME") ?? "";
  const path = wanted === "-" ? (variables.value("OLDPWD") ?? "/") : wanted;
  if (path === "") return 0;
  let target = normalize(absolute(path, process.cwd));
  try {
    if (process.files.status(target).kind !== "directory") throw new FileError("ENOTDIR", path);
    const physical = process.files.resolve(`${target}/.`);
    if (isPhysical) target = physical;
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

async function pwd({ shell, args }: Call): Promise<number> {
  const { files, cwd } = shell.process;
  await shell.out(`${isPhysicalIn(args) ? files.resolve(cwd) : cwd}\n`);
  return 0;
}

/** The last of -P and -L counts. */
function isPhysicalIn(args: readonly string[]): boolean {
  return args.findLast((arg) => /^-[LP]$/.test(arg)) === "-P";
}

async function umask({ shell, args }: Call): Promise<number> {
  const { process } = shell;
  const mode = args.find((arg) => arg !== "-S");
  if (mode === undefined)
    await shell.out(`${args.includes("-S") ? grantedText(process.umask) : octal(process.umask)}\n`);
  else if (/^[0-7]+$/.test(mode)) process.umask = Number.parseInt(mode, 8) & 0o777;
  else process.umask = ~granted(mode, ~process.umask & 0o777) & 0o777;
  return 0;
}

function octal(mask: number): string {
  return mask.toString(8).padStart(4, "0");
}

/** The permissions that a mask allows, as `umask -S` prints them: `u=rwx,g=rx,o=rx`. */
function grantedText(mask: number): string {
  const letters = (shift: number): string => [..."rwx"].filter((_, at) => !((mask >> shift) & (4 >> at))).join("");
  return `u=${letters(6)},g=${letters(3)},o=${letters(0)}`;
}

function granted(change: string, before: number): number {
  try {
    return changedMode(before, change, false, 0);
  } catch (error) {
    if (error instanceof UsageError) throw new ShellError(`illegal mode: ${change}`);
    throw error;
  }
}

/** The units in which busybox prints size limits, by letter. */
const BYTES_A_UNIT: Readonly<Record<string, number>> = { c: 512, d: 1024, f: 512, l: 1024, m: 1024, s: 1024, v: 1024 };

/** Prints limits. Nothing in this world reaches them. */
async function ulimit({ shell, args }: Call): Promise<number> {
  const option = args.find((arg) => /^-[a-zA-Z]$/.test(arg)) ?? "-f";
  const isHard = args.includes("-H");
  const letter = option.slice(1);
  const limit = shell.process.namespace.resourceLimit(letter);
  const units = (bytes: number): number => Math.floor(bytes / (BYTES_A_UNIT[letter] ?? 1));
  await shell.out(`${limit === null ? "unlimited" : units(isHard ? limit.hard : limit.soft)}\n`);
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
