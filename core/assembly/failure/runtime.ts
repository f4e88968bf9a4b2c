// Interprets the error texts of OCI runtimes that did not start a process: crun and runc have different ones.

import {
  BrokenStart,
  Failure,
  FailureDirectory,
  FailureNoSuch,
  FailureProgram,
  FailureRuntime,
  FailureTag,
  Noun,
  RefusedDirectory,
  RefusedProgram,
  RuntimeRefusal,
  StartBreak,
  Thing,
} from "../../../build/bindings/types";
import { between, lastWords, likeGo, plainWords } from "../text/log-words";
import { errnoNamed, errnoText } from "./call";

const EXEC_FAILED = "exec failed: ";
const CRUN_DIRECTORY = "chdir `";
const RUNC_DIRECTORY = "chdir to cwd ";
const RUNC_MKDIR = "init: mkdir ";
const NOT_A_DIRECTORY = "not a directory";

/** The failure of a container's first process. A failure without a runtime's text is returned unchanged. */
export function refusedLaunch(failure: Failure): Failure {
  if (failure.tag != FailureTag.Runtime) return failure;
  const refusal = (<FailureRuntime>failure).value;
  const said = plainWords(refusal.said);
  const directory = directoryInTheWay(said);
  if (directory !== null) return new FailureDirectory(directory);
  const program = refusedProgram(said, refusal.program);
  return program === null ? failure : new FailureProgram(program);
}

/** The failure of an additional process in a run. */
export function refusedExec(failure: Failure): Failure {
  if (failure.tag != FailureTag.Runtime) return failure;
  const refusal = (<FailureRuntime>failure).value;
  const said = plainWords(refusal.said);
  if (isOfRun(said)) return new FailureNoSuch(new Thing(Noun.Run, ""));
  const reason = directoryReason(said);
  if (reason.length > 0) return new FailureDirectory(new RefusedDirectory(refusal.directory, errnoNamed(reason)));
  const program = refusedProgram(said, refusal.program);
  if (program !== null) return new FailureProgram(program);
  const rest = said.startsWith(EXEC_FAILED) ? said.substring(EXEC_FAILED.length) : said;
  return new FailureRuntime(new RuntimeRefusal(rest, refusal.program, refusal.directory));
}

export function runtimeText(refusal: RuntimeRefusal): string {
  const said = likeGo(plainWords(refusal.said));
  return said.length > 0 ? said : "OCI runtime ended without a word";
}

export function brokenText(broken: BrokenStart): string {
  const text = howBroken(broken.how);
  if (broken.error.length > 0) return `${text}: ${errnoText(broken.error)}`;
  return broken.said.length > 0 ? `${text}: ${broken.said}` : text;
}

function howBroken(how: StartBreak): string {
  if (how == StartBreak.NoTerminal) return "OCI runtime sent no terminal";
  return how == StartBreak.ProcessEnded
    ? "the process ended before it was started"
    : "supervisor ended before the process was made";
}

/** The text says that the run is over. */
function isOfRun(said: string): bool {
  return (
    said.includes("is not running") ||
    said.includes("does not exist") ||
    said.includes("not a running container") ||
    said.includes("stopped container") ||
    between(said, "container ", " stopped") !== null
  );
}

/** crun: "chdir `/x`: ERRNO"; runc: `container init: mkdir /x: ERRNO`. */
function directoryInTheWay(said: string): RefusedDirectory | null {
  if (!said.toLowerCase().endsWith(`: ${NOT_A_DIRECTORY}`)) return null;
  let path = between(said, CRUN_DIRECTORY, "`");
  if (path === null) path = between(said, RUNC_MKDIR, ": ");
  return path === null ? null : new RefusedDirectory(path, "ENOTDIR");
}

/**
 * runc: `chdir to cwd ("/x") set in config.json failed: ERRNO`; crun: "chdir `/x`: ERRNO". Empty for any other text.
 */
function directoryReason(said: string): string {
  if (between(said, CRUN_DIRECTORY, "`: ") !== null) return lastWords(said, "`: ");
  return between(said, RUNC_DIRECTORY, " failed: ") === null ? "" : lastWords(said, " failed: ");
}

/**
 * runc says `exec: "x": REASON` with Docker's reasons. crun says "executable file `x` not found in $PATH: ERRNO" or
 * "open executable: ERRNO", with strerror's texts.
 */
function refusedProgram(said: string, program: string): RefusedProgram | null {
  const reason = runcReason(said);
  if (reason.length > 0) return new RefusedProgram(program, reason);
  let errno = lastWords(said, "open executable: ");
  if (errno.length == 0 && said.includes("executable file ")) errno = lastWords(said, " not found in $PATH: ");
  return errno.length == 0 ? null : new RefusedProgram(program, errnoNamed(errno));
}

/** The text after the program's name, in which quotes are escaped. */
function runcReason(said: string): string {
  const begin = said.lastIndexOf('exec: "');
  if (begin < 0) return "";
  const end = said.indexOf('": ', begin + 'exec: "'.length);
  return end < 0 ? "" : said.substring(end + '": '.length);
}
