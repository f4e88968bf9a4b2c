// A custom host: an existing one with one interface replaced.

import { HostFailure, hostWith } from "coracle-engine";
import type { Host, Perform, processes } from "coracle-engine";

/** The same machine, except that it never starts a process with administrator rights. */
export function withoutAdministrators(host: Host): Host {
  const perform: Perform<processes.ProcessCommand> = (op, command, report) => {
    if (command.tag === "launch" && mayAdminister(command.val.spec)) {
      const said = "this machine runs no privileged containers";
      throw new HostFailure({ tag: "runtime", val: { said, program: "", directory: "" } });
    }
    return host.processes(op, command, report);
  };
  return hostWith(host, { processes: perform });
}

/** `spec`: an OCI runtime configuration. */
function mayAdminister(spec: Uint8Array): boolean {
  const { process } = JSON.parse(new TextDecoder().decode(spec)) as Spec;
  return process.capabilities?.bounding?.includes("CAP_SYS_ADMIN") === true;
}

interface Spec {
  process: { capabilities?: { bounding?: string[] } };
}
