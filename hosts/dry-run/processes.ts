// `processes` of a dry run. What can be known of a process that was never started: it runs until it is killed, or until
// somebody who is attached to it, or waits for its end, wants to go on; then it ends well, and has said nothing. SIGKILL
// alone is sure to end the first process of a PID namespace, which the kernel spares every signal that it has no handler
// for (pid_namespaces(7)): so no other signal ends one here, and `stop` goes on to SIGKILL when its time is over. An exec
// ends at once, and well.

import { isQuestion } from "../shared/commands.js";
import { imaginedOnly } from "../shared/failure.js";
import type { Outcome, processes, types } from "../shared/host.js";
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

/** Null: the machine is to be asked. Throws `imagined` for a process that there is none of. */
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

/** What nothing is said of succeeds, and nobody sees what comes of it. */
function imagine(command: processes.ProcessCommand, imagined: Imagined): Outcome {
  switch (command.tag) {
    case "launch":
      for (const path of command.val.directories) imagined.directories.add(path);
      return { tag: "launched", val: imagined.launch(command.val) };
    case "exec":
      imagined.endExec(command.val.exec, 0);
      return { tag: "launched", val: imagined.launched() };
    case "signal":
      if (command.val.number === SIGKILL) imagined.end(command.val.subject, KILLED);
      break;
    case "signal-exec":
      if (command.val.number === SIGKILL) imagined.endExec(command.val.exec, KILLED);
      break;
    case "reap":
      imagined.reap(command.val);
      break;
    case "reap-exec":
      imagined.reapExec(command.val);
      break;
  }
  return DONE;
}

const DONE: Outcome = { tag: "done" };
