// The reference engine: Debian's dockerd 20.10 (API 1.41), with its own directories, socket and network namespace.
import { findProgram } from "./commands.js";
import { launchDaemon, type CommandLine, type DaemonProcess, type Place } from "./daemon-process.js";

/** Why the reference cannot run here, or null. */
export function referenceMissing(): string | null {
  if (findProgram("dockerd") === null) return "dockerd (Debian package docker.io) is not installed";
  if (process.getuid?.() !== 0) return "dockerd needs root";
  return null;
}

/** Starts dockerd. `flags` follow those that isolate it. */
export function startReference(flags: readonly string[] = [], place?: Place): Promise<DaemonProcess> {
  const commandLine: CommandLine = (directories) => [
    findProgram("dockerd") ?? "dockerd",
    "--host",
    `unix://${directories.socketPath}`,
    "--data-root",
    directories.dataRoot,
    "--exec-root",
    directories.execRoot,
    "--pidfile",
    directories.pidFile,
    ...flags,
  ];
  return launchDaemon("reference", commandLine, place);
}
