// Steps that the builder does not have yet.

import { SourceKind, Step } from "../evaluation/step";

/** Why the step cannot be done; empty if it can. It is refused by name, never ignored. */
export function unbuiltIn(step: Step): string {
  const run = step.run;
  if (run !== null) {
    if (run.argv.length == 0) return "No command specified";
    if (run.mounts.length > 0) return "RUN --mount is not built yet";
    if (run.devices.length > 0) return "RUN --device is not built yet";
    if (run.security != "sandbox") return "RUN --security=insecure is not built yet";
    return run.script.length > 0 ? "RUN with a here-document that names its interpreter is not built yet" : "";
  }
  const copy = step.copy;
  if (copy === null) return "";
  for (let i = 0; i < copy.sources.length; i++) {
    const kind = copy.sources[i].kind;
    if (kind == SourceKind.Url) return "ADD of a URL is not built yet";
    if (kind == SourceKind.Git) return "ADD of a git repository is not built yet";
  }
  return "";
}
