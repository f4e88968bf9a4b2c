// Steps that the builder does not have yet.

import { Mount, MountType } from "../evaluation/run-mount";
import { Step } from "../evaluation/step";
import { octalOf } from "./mounts/octal";
import { sizeProblem } from "./mounts/tmpfs-mount";

/** Why the step cannot be done; empty if it can. It is refused by name, never ignored. */
export function unbuiltIn(step: Step): string {
  const run = step.run;
  if (run !== null) {
    if (run.argv.length == 0) return "No command specified";
    for (let i = 0; i < run.mounts.length; i++) {
      const problem = mountProblem(run.mounts[i]);
      if (problem.length > 0) return problem;
    }
    if (run.devices.length > 0) return "RUN --device is not built yet";
    if (run.security != "sandbox") {
      return "RUN --security=insecure is refused: a build gives no command more rights than a container has by default";
    }
    return "";
  }
  return "";
}

function mountProblem(mount: Mount): string {
  if (mount.mode.length > 0 && octalOf(mount.mode) < 0) return `invalid value ${mount.mode} for mode`;
  if (mount.type == MountType.Tmpfs) return sizeProblem(mount.size);
  const isSecret = mount.type == MountType.Secret;
  if (!isSecret && mount.type != MountType.Ssh) return "";
  const instead = isSecret ? "fetch what needs it before the build" : "clone before the build";
  return (
    `RUN --mount=type=${isSecret ? "secret" : "ssh"} is not built yet. Until then, ${instead}, and ` +
    "take it from the context by --mount=type=bind"
  );
}
