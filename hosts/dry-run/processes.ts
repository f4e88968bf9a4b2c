// `processes` of a dry run. What can be known of a process that was never started: it runs until it is killed, or until
// somebody who is attached to it, or waits for its end, wants to go on; then it ends well, and has said nothing. SIGKILL
// alone is sure to end the first process of a PID namespace, which the kernel spares every signal that it has no handler
// for (pid_namespaces(7)): so no other signal ends one here, and `stop` goes on to SIGKILL when its time is over. An exec
// ends at once, and well.

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
  switch (command.tag) {
    case "identify":
      if (imagined.runOf(command.val.container) !== undefined || imagined.mounted.has(command.val.container)) break;
      return asks.ask({ to: "processes", op, command });
    case "ps":
      return asks.ask({ to: "processes", op, command: { tag: "ps", val: real(command.val, imagined) } });
    case "sample":
      return asks.ask({ to: "processes", op, command: { tag: "sample", val: subjectOf(command.val, imagined) } });
    case "count-own":
      return asks.ask({ to: "processes", op, command });
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
    case "pause":
    case "resume":
    case "resize":
    case "resize-exec":
    case "limit":
    case "rewrite":
      break;
  }
  return { tag: "done" };
}

function real(ps: processes.Ps, imagined: Imagined): processes.Ps {
  subjectOf(ps.subject, imagined);
  return ps;
}

/** Throws `imagined` for a process that there is none of. */
function subjectOf(subject: types.Subject, imagined: Imagined): types.Subject {
  if (!imagined.runs(subject)) return subject;
  throw imaginedOnly("process");
}
