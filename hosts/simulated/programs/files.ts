// Programs that make, change and remove files: touch, mkdir, rmdir, rm, ln, chmod, chown, mktemp.

import { FileError } from "../files/file-system.js";
import { absolute } from "../processes/executable.js";
import type { ContainerProcess } from "../processes/process.js";
import { Accounts } from "./accounts.js";
import { command, complain, whyNot } from "./command.js";
import { parseOptions, UsageError } from "./options.js";
import { directoryOf, join } from "./paths.js";

const NOTHING = new Uint8Array(0);

/** Does something to every path. Resolves to 1 if it failed for one. */
export async function eachPath(
  process: ContainerProcess,
  paths: readonly string[],
  act: (absolutePath: string, path: string) => void | Promise<void>,
  text: (path: string, why: string) => string,
): Promise<number> {
  let code = 0;
  for (const path of paths) {
    try {
      if (path === "") throw new FileError("ENOENT", path);
      await act(absolute(path, process.cwd), path);
      await process.work(FILE_NS);
    } catch (error) {
      const why = whyNot(error);
      if (why === false) throw error;
      code = await complain(process, text(path, why));
    }
  }
  return code;
}

const FILE_NS = 10_000;

function required(words: readonly string[]): readonly string[] {
  if (words.length === 0) throw new UsageError("missing operand");
  return words;
}

export const touch = command(async (process, args) => {
  const { flags, words } = parseOptions(args, "cfamd:t:r:h", { date: "d", "no-create": "c" });
  return eachPath(
    process,
    required(words),
    (at) => {
      if (exists(process, at)) return process.files.touch(at, process.now());
      if (!flags.has("c")) process.files.write(at, NOTHING, 0o666 & ~process.umask);
    },
    (path, why) => `${path}: ${why}`,
  );
});

export const mkdir = command(async (process, args) => {
  const { flags, words } = parseOptions(args, "pm:v", { parents: "p", mode: "m" });
  const mode = flags.has("m") ? changedMode(0o777, flags.get("m")!, true, process.umask) : 0o777 & ~process.umask;
  return eachPath(
    process,
    required(words),
    (at) => (flags.has("p") ? makeParents(process, at, mode) : process.files.makeDirectory(at, mode)),
    (path, why) => `can't create directory '${path}': ${why}`,
  );
});

export function makeParents(process: ContainerProcess, path: string, mode: number): void {
  if (isDirectory(process, path)) return;
  if (exists(process, path)) throw new FileError("EEXIST", path);
  const parent = directoryOf(path);
  if (parent !== path) makeParents(process, parent, 0o777 & ~process.umask);
  process.files.makeDirectory(path, mode);
}

export const rmdir = command(async (process, args) => {
  const { flags, words } = parseOptions(args, "p", { parents: "p" });
  return eachPath(
    process,
    required(words),
    (at, path) => {
      process.files.removeDirectory(at);
      if (!flags.has("p")) return;
      for (let up = directoryOf(path); up !== "." && up !== "/"; up = directoryOf(up)) {
        process.files.removeDirectory(absolute(up, process.cwd));
      }
    },
    (path, why) => `'${path}': ${why}`,
  );
});

export const rm = command(async (process, args) => {
  const { flags, words } = parseOptions(args, "fiRrv", { force: "f", recursive: "r" });
  const [force, recursive] = [flags.has("f"), flags.has("r") || flags.has("R")];
  if (words.length === 0 && !force) throw new UsageError("missing operand");
  let code = 0;
  for (const path of words) {
    const at = absolute(path, process.cwd);
    if (/(^|\/)\.\.?\/*$/.test(path)) code = await complain(process, "can't remove '.' or '..'");
    else if (!recursive && isDirectory(process, at, false)) code = await complain(process, `'${path}' is a directory`);
    else if (!force || exists(process, at))
      code = (await eachPath(process, [path], (to) => remove(process, to), cannotRemove)) || code;
  }
  return code;
});

const cannotRemove = (path: string, why: string): string => `can't remove '${path}': ${why}`;

export function remove(process: ContainerProcess, path: string): void {
  const { files } = process;
  if (files.linkStatus(path).kind !== "directory") return files.remove(path);
  for (const name of files.list(path)) remove(process, join(path, name));
  files.removeDirectory(path);
}

export const ln = command(async (process, args) => {
  const { flags, words } = parseOptions(args, "sfnbvT");
  const [last, ...others] = [...required(words)].reverse();
  const targets = others.reverse();
  if (targets.length === 0) return link(process, last!, last!.split("/").pop()!, flags);
  const into = !flags.has("n") && isDirectory(process, absolute(last!, process.cwd));
  let code = 0;
  for (const target of targets) {
    const path = into ? join(last!, target.split("/").pop()!) : last!;
    code = (await link(process, target, path, flags)) || code;
  }
  return code;
});

async function link(
  process: ContainerProcess,
  target: string,
  path: string,
  flags: ReadonlyMap<string, string>,
): Promise<number> {
  const make = (at: string): void => {
    if (flags.has("f") && exists(process, at)) process.files.remove(at);
    if (flags.has("s")) process.files.symlink(target, at);
    else process.files.link(absolute(target, process.cwd), at);
  };
  const isMissing = !flags.has("s") && !exists(process, absolute(target, process.cwd));
  return eachPath(process, [path], make, (name, why) => `${isMissing ? target : name}: ${why}`);
}

export const chmod = command(async (process, args) => {
  const isMode = (arg: string): boolean => /^-[rwxXst]+$/.test(arg);
  const { flags, words } = parseOptions(
    args.filter((arg) => !isMode(arg)),
    "Rvcf",
  );
  const mode = args.find(isMode) ?? words.shift();
  if (mode === undefined) throw new UsageError("missing operand");
  const change = (at: string): void => {
    const status = process.files.status(at);
    process.files.changeMode(at, changedMode(status.mode, mode, status.kind === "directory", process.umask));
    if (flags.has("R") && status.kind === "directory")
      for (const name of process.files.list(at)) change(join(at, name));
  };
  return eachPath(process, required(words), change, (path, why) => `${path}: ${why}`);
});

/** `755`, `u+x,go-w`, `a=r`. */
export function changedMode(mode: number, change: string, isDirectory: boolean, umask: number): number {
  if (/^[0-7]+$/.test(change)) return Number.parseInt(change, 8);
  let result = mode;
  for (const clause of change.split(",")) {
    const [, who = "", actions] = /^([ugoa]*)((?:[-+=][rwxXst]*)+)$/.exec(clause) ?? [];
    if (actions === undefined) throw new UsageError(`invalid mode '${change}'`);
    const mask = maskOf(who, umask);
    for (const [, operator, letters = ""] of actions.matchAll(/([-+=])([rwxXst]*)/g)) {
      const bits = bitsOf(letters, isDirectory || (mode & 0o111) !== 0) & mask;
      if (operator === "+") result |= bits;
      else if (operator === "-") result &= ~bits;
      else result = (result & ~(mask & 0o777)) | bits;
    }
  }
  return result;
}

function maskOf(who: string, umask: number): number {
  if (who === "") return 0o7777 & ~umask;
  const masks: Record<string, number> = { u: 0o4700, g: 0o2070, o: 0o1007, a: 0o7777 };
  return [...who].reduce((mask, letter) => mask | masks[letter]!, 0);
}

function bitsOf(letters: string, mayExecute: boolean): number {
  const bits: Record<string, number> = {
    r: 0o444,
    w: 0o222,
    x: 0o111,
    X: mayExecute ? 0o111 : 0,
    s: 0o6000,
    t: 0o1000,
  };
  return [...letters].reduce((sum, letter) => sum | bits[letter]!, 0);
}

export const chown = command(async (process, args) => {
  const { flags, words } = parseOptions(args, "Rhvcf");
  const owner = words.shift();
  if (owner === undefined) throw new UsageError("missing operand");
  const [user = "", group = ""] = owner.split(/[:.]/);
  const accounts = new Accounts(process.files);
  const uid = user === "" ? undefined : numberOf(user, accounts.user(user)?.uid, "user");
  const gid = group === "" ? undefined : numberOf(group, accounts.group(group), "group");
  return changeOwners(process, required(words), flags.has("R"), uid, gid);
});

export const chgrp = command(async (process, args) => {
  const { flags, words } = parseOptions(args, "Rhvcf");
  const group = words.shift();
  if (group === undefined) throw new UsageError("missing operand");
  const gid = numberOf(group, new Accounts(process.files).group(group), "group");
  return changeOwners(process, required(words), flags.has("R"), undefined, gid);
});

function numberOf(text: string, found: number | undefined, what: string): number {
  if (found !== undefined) return found;
  if (!/^\d+$/.test(text)) throw new UsageError(`unknown ${what} ${text}`);
  return Number(text);
}

function changeOwners(
  process: ContainerProcess,
  paths: readonly string[],
  deep: boolean,
  uid: number | undefined,
  gid: number | undefined,
): Promise<number> {
  const change = (at: string): void => {
    const status = process.files.status(at);
    process.files.changeOwner(at, uid ?? status.uid, gid ?? status.gid);
    if (deep && status.kind === "directory") for (const name of process.files.list(at)) change(join(at, name));
  };
  return eachPath(process, paths, change, (path, why) => `${path}: ${why}`);
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

export const mktemp = command(async (process, args) => {
  const { flags, words } = parseOptions(args, "dqup:t");
  const template = words[0] ?? join(flags.get("p") ?? process.env.get("TMPDIR") ?? "/tmp", "tmp.XXXXXX");
  if (!/XXXXXX$/.test(template)) throw new UsageError("bad template");
  const letter = (): string => LETTERS[Math.floor(process.random() * LETTERS.length)]!;
  const path = template.replace(/X{6}$/, () => Array.from({ length: 6 }, letter).join(""));
  const at = absolute(path, process.cwd);
  if (flags.has("d")) process.files.makeDirectory(at, 0o700);
  else process.files.write(at, NOTHING, 0o600);
  await process.stdout.write(`${path}\n`);
  return 0;
});

export function exists(process: ContainerProcess, path: string): boolean {
  try {
    process.files.linkStatus(path);
    return true;
  } catch {
    return false;
  }
}

export function isDirectory(process: ContainerProcess, path: string, follow = true): boolean {
  try {
    return (follow ? process.files.status(path) : process.files.linkStatus(path)).kind === "directory";
  } catch {
    return false;
  }
}
