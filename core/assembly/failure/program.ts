// Messages for programs that cannot be run, and for invalid working
// directories: the texts of runc, which clients parse (surface §2.3).

import { RefusedDirectory, RefusedProgram } from "../../../build/bindings/types";
import { quoteText } from "../text/go-quote";
import { errnoText, isErrno } from "./call";
import { FailureKind } from "./failure-kind";

/** A program that exists but is not executable has another exit code (126) than one that does not exist (127). */
export function programKind(refused: RefusedProgram): FailureKind {
  const error = refused.error;
  if (error == "ENOEXEC") return FailureKind.Invalid;
  return isDenied(error) || error == "EISDIR" || saysDenied(error)
    ? FailureKind.CommandNotExecutable
    : FailureKind.CommandNotFound;
}

/** If a runtime reported no errno, `error` is its own text and is used as it is. */
export function programText(refused: RefusedProgram): string {
  return `exec: ${quoteText(refused.program)}: ${reason(refused)}`;
}

function reason(refused: RefusedProgram): string {
  const error = refused.error;
  const program = refused.program;
  if (error == "ENOENT" && !program.includes("/")) return "executable file not found in $PATH";
  // A directory is not a program, either: crun reports EPERM, execve(2) EACCES.
  if (isDenied(error)) return errnoText("EACCES");
  if (error == "ENOEXEC" || !isErrno(error)) return errnoText(error);
  return `stat ${program}: ${errnoText(error)}`;
}

function isDenied(error: string): bool {
  return error == "EACCES" || error == "EPERM";
}

function saysDenied(words: string): bool {
  return words.includes(errnoText("EACCES")) || words.includes(errnoText("EISDIR"));
}

export function directoryText(refused: RefusedDirectory): string {
  return `chdir to cwd (${quoteText(refused.path)}) set in config.json failed: ${errnoText(refused.error)}`;
}

/** The working directory would have been created, but a file of another type is at its path. */
export function isInTheWay(refused: RefusedDirectory): bool {
  return refused.error == "ENOTDIR";
}

/** Docker's text for this. The engine or a runtime may have detected it. */
export function inTheWayText(path: string): string {
  return `Cannot mkdir: ${path} is not a directory`;
}
