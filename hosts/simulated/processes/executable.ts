// Finds the program for a command: by PATH, by the file's first bytes, and by the names of the world's programs.

import { FileError, type FileSystem } from "../files/file-system.js";
import { NoProgram, type Program } from "../program.js";

export interface Search {
  files: FileSystem;
  cwd: string;
  /** PATH; undefined if it is not set. */
  path: string | undefined;
  uid: number;
  program(name: string): Program | undefined;
}

export interface Found {
  program: Program;
  /** For a script, with its interpreter first. */
  argv: readonly string[];
}

const DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const ELF = "\x7fELF";
/** First line of a file that stands for a program of the world, followed by its name. */
const OWN = "#!coracle ";
const INTERPRETERS_MAX = 4;

/** Throws `NoProgram`. */
export function findProgram(argv: readonly string[], search: Search, depth = 0): Found {
  const command = argv[0] ?? "";
  const path = command.includes("/") ? absolute(command, search.cwd) : lookup(command, search);
  if (path === undefined) throw new NoProgram(command, false);
  const status = statusOf(path, search.files, command);
  if (status.kind !== "file" || (status.mode & 0o111) === 0) throw new NoProgram(command, true);
  const head = new TextDecoder("latin1").decode(search.files.read(path).subarray(0, 256));
  if (head.startsWith(ELF)) return { program: named(baseName(command), command, search), argv };
  const line = head.split("\n")[0]!;
  if (line.startsWith(OWN)) return { program: named(line.slice(OWN.length).trim(), command, search), argv };
  if (line.startsWith("#!") && depth < INTERPRETERS_MAX)
    return interpreted(line, command.includes("/") ? command : path, argv, search, depth);
  throw new NoProgram(command, true, "ENOEXEC");
}

/**
 * For a process without a parent. A runtime has started it before the kernel sees that it cannot execute the file, so the
 * process itself tells that and ends. Throws `NoProgram` for all else.
 */
export function findFirst(argv: readonly string[], search: Search): Found {
  try {
    return findProgram(argv, search);
  } catch (error) {
    if (!(error instanceof NoProgram) || error.code !== "ENOEXEC") throw error;
    return { program: refused(error), argv };
  }
}

function refused({ command, reason }: NoProgram): Program {
  return async (process) => {
    await process.stderr.write(`exec ${command}: ${reason}\n`);
    return 1;
  };
}

/** The file for a name without a slash; undefined if there is none. Files that may not be executed are skipped. */
export function lookup(name: string, { files, cwd, path = DEFAULT_PATH }: Search): string | undefined {
  if (name === "") return undefined;
  let found: string | undefined;
  for (const directory of path.split(":")) {
    const candidate = absolute(`${directory || "."}/${name}`, cwd);
    try {
      const { kind, mode } = files.status(candidate);
      if (kind !== "file") continue;
      if ((mode & 0o111) !== 0) return candidate;
      found ??= candidate;
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
    }
  }
  return found;
}

/** An absolute path, not normalized. */
export function absolute(path: string, cwd: string): string {
  if (path.startsWith("/")) return path;
  return cwd === "/" ? `/${path}` : `${cwd}/${path}`;
}

export function baseName(path: string): string {
  const trimmed = path.replace(/\/+$/, "");
  return trimmed.slice(trimmed.lastIndexOf("/") + 1);
}

function interpreted(line: string, path: string, argv: readonly string[], search: Search, depth: number): Found {
  const [, interpreter = "", argument] = /^#!\s*(\S*)\s*(.*?)\s*$/.exec(line) ?? [];
  const rest = [...(argument ? [argument] : []), path, ...argv.slice(1)];
  return findProgram([interpreter, ...rest], search, depth + 1);
}

function named(name: string, command: string, search: Search): Program {
  const program = search.program(name);
  if (!program) throw new NoProgram(command, true, "ENOEXEC");
  return program;
}

function statusOf(path: string, files: FileSystem, command: string): { kind: string; mode: number } {
  try {
    return files.status(path);
  } catch (error) {
    if (error instanceof FileError) throw new NoProgram(command, error.code === "EACCES", error.code);
    throw error;
  }
}
