// Programs that change permissions and owners: chmod, chown, chgrp.

import type { ContainerProcess } from "../../processes/process.js";
import { Accounts } from "../machine/accounts.js";
import { command } from "../command.js";
import { eachPath, required } from "../operands.js";
import { parseOptions, UsageError } from "../options.js";
import { join } from "../paths.js";

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

/** Applies a mode such as `755`, `u+x,go-w` or `a=r`. */
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
