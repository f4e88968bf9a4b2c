// What an OCI runtime says when it will not start a program, in the failure kinds of the boundary.

import { HostFailure } from "../hosts/failure.js";

/**
 * The failure that a runtime's text stands for. For the program itself the message is
 * `exec: "NAME": REASON`, whatever the runtime's own wording; else it is the runtime's text.
 */
export function refusal(text: string, program: string): HostFailure {
  const said = plain(text);
  // The working directory; crun: "chdir `/x`: ERRNO", runc: "container init: mkdir /x: ERRNO".
  const directory = /(?:chdir `|init: mkdir )([^`]+)`?: not a directory$/i.exec(said)?.[1];
  if (directory) return new HostFailure("invalid", `Cannot mkdir: ${directory} is not a directory`);
  const reason = execReason(said, program);
  if (!reason) return new HostFailure("invalid", likeGo(said));
  const kind = /permission denied|is a directory/.test(reason) ? "command-not-executable" : "command-not-found";
  return new HostFailure(kind, `exec: "${program}": ${reason}`);
}

/** crun ends with strerror(3)'s words, which begin with a capital. Clients look for those of Go, which do not. */
function likeGo(said: string): string {
  return said.replace(/: [A-Z][a-z]+(?: [a-z]+)+$/, (reason) => reason.toLowerCase());
}

/** Without the decoration of a log: `time="…" level=error msg="…"`, `2026-…Z: …`. */
function plain(text: string): string {
  const lines = text.trim().split("\n");
  const messages = lines.map((line) => /\bmsg="((?:[^"\\]|\\.)*)"/.exec(line)?.[1]?.replace(/\\(.)/g, "$1") ?? line);
  return messages.join("; ").replace(/^\d{4}-\d\d-\d\dT[\d:.]+Z: /, "");
}

/**
 * runc says `exec: "x": REASON` with Docker's reasons. crun says
 * "executable file `x` not found in $PATH: ERRNO" or "open executable: ERRNO", in strerror's words.
 */
function execReason(said: string, program: string): string | undefined {
  const runc = /exec: "(?:[^"\\]|\\.)*": (.+)$/.exec(said)?.[1];
  if (runc) return runc;
  const errno = /(?:executable file .* not found in \$PATH|open executable): (.+)$/.exec(said)?.[1]?.toLowerCase();
  if (errno === undefined) return undefined;
  if (errno === "no such file or directory" && !program.includes("/")) return "executable file not found in $PATH";
  // A directory is no program either: EPERM to crun, EACCES to execve(2).
  if (errno === "permission denied" || errno === "operation not permitted") return "permission denied";
  return `stat ${program}: ${errno}`;
}
