// Steps that the builder does not have yet.

import { Mount, MountType } from "../evaluation/run-mount";
import { Step } from "../evaluation/step";
import { octalOf } from "./mounts/octal";
import { sizeProblem } from "./mounts/tmpfs-mount";

const NO_SECRETS =
  "RUN --mount=type=secret needs a client that can be asked: build with docker buildx, or fetch what needs it before the " +
  "build, and take it from the context by --mount=type=bind";
const NO_AGENT =
  "RUN --mount=type=ssh needs a client that can be asked: build with docker buildx, or clone before the build, and take it " +
  "from the context by --mount=type=bind";

/**
 * Why the step cannot be done; empty if it can. It is refused by name, never ignored. `canAsk`: the build's client has a
 * session.
 */
export function unbuiltIn(step: Step, canAsk: bool): string {
  const run = step.run;
  if (run !== null) {
    if (run.argv.length == 0) return "No command specified";
    for (let i = 0; i < run.mounts.length; i++) {
      const problem = mountProblem(run.mounts[i], canAsk);
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

function mountProblem(mount: Mount, canAsk: bool): string {
  if (mount.mode.length > 0 && octalOf(mount.mode) < 0) return `invalid value ${mount.mode} for mode`;
  if (mount.type == MountType.Tmpfs) return sizeProblem(mount.size);
  if (mount.type == MountType.Secret) return canAsk ? "" : NO_SECRETS;
  return mount.type == MountType.Ssh && !canAsk ? NO_AGENT : "";
}
