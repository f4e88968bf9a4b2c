// What an OCI runtime says when it will not start one more process, in the failure kinds of the boundary.

import { HostFailure, noSuch } from "../../hosts/failure.js";
import { refusal } from "../refusal.js";

/** What refusals speak of: the process that was asked for. */
export interface ProcessSpec {
  args?: string[];
  cwd?: string;
}

/** `said`: the runtime's text, in its own wording. */
export function execRefusal(said: string, { args = [], cwd = "/" }: ProcessSpec): HostFailure {
  if (said === "") return new HostFailure("internal", "OCI runtime ended without a word");
  if (/is not running|does not exist|not a running container|container .* stopped/.test(said)) return noSuch("run");
  // runc: `chdir to cwd ("/x") set in config.json failed: ERRNO`; crun: "chdir `/x`: ERRNO".
  const errno = /chdir (?:to cwd .* failed|`.*`): (.+)$/.exec(said)?.[1];
  if (errno !== undefined) {
    const text = `chdir to cwd ("${cwd}") set in config.json failed: ${errno.toLowerCase()}`;
    return new HostFailure("command-not-found", text);
  }
  return refusal(said.replace(/^exec failed: /, ""), args[0] ?? "");
}
