// The `processes` interface of a dry run. A process that was never started is assumed to run until it is killed. If a
// client is attached to it or waits for its end, it exits with 0 and without output. The kernel spares the first
// process of a PID namespace every signal that it has no handler for (pid_namespaces(7)); only SIGKILL is sure to end
// it. So no other signal ends a process here, and `stop` continues with SIGKILL after its timeout. An exec exits with
// 0 at once.

import { imaginedOnly, isQuestion } from "../shared/index.js";
import type { Outcome, QuestionOf, processes, types } from "../shared/index.js";
import type { Asks } from "./asks.js";
import type { Imagined } from "./imagined.js";

const SIGKILL = 9;
const KILLED = 128 + SIGKILL;

export async function performProcesses(
  op: bigint,
  command: processes.ProcessCommand,
  imagined: Imagined,
  asks: Asks,
): Promise<Outcome> {
  if (!isQuestion("processes", command)) return imagine(command, imagined);
  return known(command, imagined) ?? asks.ask({ to: "processes", op, command });
}

/** Null if the machine must be asked. Throws `imagined` for a process that only the dry run has started. */
function known(command: processes.ProcessCommand, imagined: Imagined): Outcome | null {
  switch (command.tag) {
    case "identify":
      return imagined.runOf(command.val.container) !== undefined || imagined.mounted.has(command.val.container)
        ? DONE
        : null;
    case "ps":
      requireReal(command.val.subject, imagined);
      return null;
    case "sample":
      requireReal(command.val, imagined);
      return null;
    default:
      return null;
  }
}

function requireReal(subject: types.Subject, imagined: Imagined): void {
  if (imagined.runs(subject)) throw imaginedOnly("process");
}

function imagine(command: Change, imagined: Imagined): Outcome {
  switch (command.tag) {
    case "launch":
      for (const path of command.val.directories) imagined.directories.add(path);
      return { tag: "launched", val: imagined.launch(command.val) };
    case "exec":
      imagined.endExec(command.val.exec, 0);
      return { tag: "launched", val: imagined.launched() };
    case "signal":
      if (command.val.number === SIGKILL) imagined.end(command.val.subject, KILLED);
      return DONE;
    case "signal-exec":
      if (command.val.number === SIGKILL) imagined.endExec(command.val.exec, KILLED);
      return DONE;
    case "reap":
      imagined.reap(command.val);
      return DONE;
    case "reap-exec":
      imagined.reapExec(command.val);
      return DONE;
    // Nothing that a client may ask for later depends on these.
    case "pause":
    case "resume":
    case "resize":
    case "resize-exec":
    case "limit":
    case "rewrite":
      return DONE;
  }
}

/** All commands that do not only ask. */
type Change = Exclude<processes.ProcessCommand, { tag: QuestionOf<"processes"> }>;

const DONE: Outcome = { tag: "done" };
