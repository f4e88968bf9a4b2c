// The Linux machine as the host of an embedded engine.

import type { Host } from "../host.js";

/** Where the Linux host keeps things, and what it runs containers with. */
export interface LinuxOptions {
  /** Directory of all that must be kept: images, containers' files, records. Absolute; one engine at a time. */
  dataRoot: string;
  /** Directory of what lives as long as the machine runs: mounts, networks, sockets. Absolute; not the daemon's. */
  execRoot: string;
  /** OCI runtimes by name, with the paths of their programs, besides those that are found. The first found is used. */
  runtimes?: Readonly<Record<string, string>>;
  /** Bytes of events that are kept; 64 MiB if not given. */
  journalBytes?: number;
}

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
