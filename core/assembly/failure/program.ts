// What is told of programs that cannot be run, and of working directories that nothing can begin in: the words of runc,
// which clients look into (surface §2.3).

import { RefusedDirectory, RefusedProgram } from "../../../build/bindings/types";
import { quoteText } from "../text/go-quote";
import { errnoText, isErrno } from "./call";
import { FailureKind } from "./failure-kind";

/** What was found and is not to be executed is another exit code than what is not there: 126 and 127. */
export function programKind(refused: RefusedProgram): FailureKind {
  const error = refused.error;
  if (error == "ENOEXEC") return FailureKind.Invalid;
  return isDenied(error) || error == "EISDIR" || saysDenied(error)
    ? FailureKind.CommandNotExecutable
    : FailureKind.CommandNotFound;
}

/** `error`: of the words of a runtime that tells no errno they are taken as they are. */
export function programText(refused: RefusedProgram): string {
  return `exec: ${quoteText(refused.program)}: ${reason(refused)}`;
}

function reason(refused: RefusedProgram): string {
  const error = refused.error;
  const program = refused.program;
  if (error == "ENOENT" && !program.includes("/")) return "executable file not found in $PATH";
  // A directory is no program either: EPERM to crun, EACCES to execve(2).
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

/** Of a container's own working directory: it would have been made, but something else stands in its way. */
export function isInTheWay(refused: RefusedDirectory): bool {
  return refused.error == "ENOTDIR";
}

/** What Docker says of that, whoever notices. */
export function inTheWayText(path: string): string {
  return `Cannot mkdir: ${path} is not a directory`;
}
