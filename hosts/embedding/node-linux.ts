// The Linux machine as the host of an embedded engine.

import type { Host } from "../shared/host.js";
import type { LinuxOptions } from "./linux-options.js";

/**
 * Runs containers for real: namespaces, overlay file systems, cgroups, networks, an OCI runtime under a supervisor.
 * Needs root, Linux, and the programs that the daemon needs. Containers live on when the engine ends, and are found
 * again by the next one on the same directories. A new engine has `busybox:latest`, if the machine has a static busybox.
 * Rejects when the machine cannot run containers, or the directories belong to another engine that runs.
 */
export async function linuxHost(options: LinuxOptions): Promise<Host> {
  // Loaded here: it needs packages with native parts, without which all else works.
  const { openLinuxHost } = await import("./node-linux-host.js");
  return openLinuxHost(options);
}
