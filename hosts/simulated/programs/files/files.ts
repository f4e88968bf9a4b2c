// Programs that make, change and remove files: touch, mkdir, rmdir, rm, ln, mktemp.

import { FileError } from "../../files/file-system.js";
import { absolute } from "../../processes/executable.js";
import type { ContainerProcess } from "../../processes/process.js";
import { command, complain, lines } from "../command.js";
import { parseTime } from "../machine/date.js";
import { parseOptions, UsageError } from "../options.js";
import { changedMode } from "./modes.js";
import { eachPath, required } from "../operands.js";
import { directoryOf, join } from "../paths.js";

const NOTHING = new Uint8Array(0);

export const touch = command(async (process, args) => {
  const { flags, words } = parseOptions(args, "cfamd:t:r:h", { date: "d", "no-create": "c", reference: "r" });
  const given = flags.get("d") ?? flags.get("t");
  const reference = flags.get("r");
  let time = given === undefined ? process.now() : parseTime(given, process.now());
  if (time === null) return complain(process, `invalid date '${given}'`);
  if (reference !== undefined) time = process.files.status(absolute(reference, process.cwd)).modified;
  return eachPath(
    process,
    required(words),
    (at) => {
      if (!exists(process, at)) {
        if (flags.has("c")) return;
        process.files.write(at, NOTHING, 0o666 & ~process.umask);
        if (given === undefined && reference === undefined) return;
      }
      process.files.touch(at, time);
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
    async (at, path) => {
      const isThere = isDirectory(process, at);
      if (flags.has("p")) makeParents(process, at, mode);
      else process.files.makeDirectory(at, mode);
      if (flags.has("v") && !isThere) await process.stdout.write(`created directory: '${path}'\n`);
    },
    (path, why) => `can't create directory '${path}': ${why}`,
  );
});

function makeParents(process: ContainerProcess, path: string, mode: number): void {
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
  const answers = lines(process.stdin);
  const told: string[] = [];
  let code = 0;
  for (const path of words) {
    const at = absolute(path, process.cwd);
    if (/(^|\/)\.\.?\/*$/.test(path)) code = await complain(process, "can't remove '.' or '..'");
    else if (!recursive && isDirectory(process, at, false)) code = await complain(process, `'${path}' is a directory`);
    else if (!force || exists(process, at)) {
      if (flags.has("i") && !(await agrees(process, `remove '${path}'?`, answers))) continue;
      code = (await eachPath(process, [path], (to) => remove(process, to, path, told), cannotRemove)) || code;
      if (flags.has("v")) await process.stdout.write(told.join(""));
      told.length = 0;
    }
  }
  return code;
});

const cannotRemove = (path: string, why: string): string => `can't remove '${path}': ${why}`;

async function agrees(process: ContainerProcess, question: string, answers: AsyncGenerator<string>): Promise<boolean> {
  await process.stderr.write(`rm: ${question} `);
  const { value } = await answers.next();
  return typeof value === "string" && /^[yY]/.test(value);
}

/**
 * Removes a path and everything below. `told` collects a line for each file, named by `shown` and the path below it.
 */
export function remove(process: ContainerProcess, path: string, shown = path, told: string[] = []): void {
  const { files } = process;
  if (files.linkStatus(path).kind !== "directory") {
    files.remove(path);
    told.push(`removed '${shown}'\n`);
    return;
  }
  for (const name of files.list(path)) remove(process, join(path, name), join(shown, name), told);
  files.removeDirectory(path);
  told.push(`removed directory: '${shown}'\n`);
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

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

export const mktemp = command(async (process, args) => {
  const { flags, words } = parseOptions(args, "dqup:t");
  const template = words[0] ?? join(flags.get("p") ?? process.env.get("TMPDIR") ?? "/tmp", "tmp.XXXXXX");
  if (!template.endsWith("XXXXXX")) throw new UsageError("bad template");
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
