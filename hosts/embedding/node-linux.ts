// The Linux machine as the host of an embedded engine.

import type { Host } from "../shared/index.js";
import type { LinuxOptions } from "./linux-options.js";

/**
 * Really runs containers: namespaces, overlay file systems, cgroups, networks, an OCI runtime under a supervisor. Needs
 * root, Linux, and the programs that the daemon needs. Containers live on when the engine ends. The next engine on the
 * same directories finds them again. A new engine has `busybox:latest`, if the machine has a static busybox. Rejects if
 * the machine cannot run containers, or if a running engine already uses the directories.
 */
export async function linuxHost(options: LinuxOptions): Promise<Host> {
  // Loaded here: it needs packages with native parts, and everything else works without them.
  const { openLinuxHost } = await import("./node-linux-host.js");
  return openLinuxHost(options);
}
